/**
 * What runs a program of a model's in Python, in the same process: the program's calls go out as lines
 * of JSON where its standard output was, the answers come in where its input was, and what it prints
 * goes to the standard error. Nothing here guards anything: a program can do all that this does.
 */

/** Source of the host, for Python 3.8 and newer. */
const HOST = String.raw`
def run_program():
    import builtins, json, linecache, os, sys, threading, traceback, types

    replies = os.fdopen(os.dup(0), "rb")
    requests = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    given = json.loads(replies.readline())
    own = os.getpid()
    lock = threading.Lock()

    class ToolError(Exception):
        """A tool failed, or is not called from programs."""

    def ask(name, values):
        if os.getpid() != own:
            raise ToolError("only the program's first process calls tools")
        with lock:
            line = json.dumps({"tool": name, "input": values}, allow_nan=False).encode() + b"\n"
            while line:
                line = line[os.write(requests, line):]
            answer = replies.readline()
        if not answer.endswith(b"\n"):
            raise ToolError("the program's tools are gone: it is being stopped")
        answer = json.loads(answer)
        if answer["ok"]:
            return answer["text"]
        raise ToolError(answer["text"])

    def call(*rest, **values):
        if not 1 <= len(rest) <= 2 or not isinstance(rest[0], str):
            raise TypeError('give a tool by its name, then its input: call("name", argument=...)')
        return ask(rest[0], {**(rest[1] if len(rest) == 2 else {}), **values})

    class Tools:
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)

            def tool(*rest, **values):
                if rest:
                    raise TypeError("give the input by name: tools.%s(argument=...)" % name)
                return ask(name, values)

            return tool

        def __dir__(self):
            return given["tools"]

    def own_frames(error):
        seen = []
        while error is not None and error not in seen:
            seen.append(error)
            frames = [frame for frame in error.stack if frame.filename != "<host>"]
            error.stack = traceback.StackSummary.from_list(frames)
            for one in getattr(error, "exceptions", None) or ():
                own_frames(one)
            error = error.__cause__ or error.__context__

    name, code = "program.py", given["code"]
    module = types.ModuleType("__main__")
    module.__file__ = name
    sys.modules["__main__"] = module
    sys.argv = [name]
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    builtins.exit = builtins.quit = sys.exit
    module.__dict__.update(tools=Tools(), call=call, ToolError=ToolError)
    ToolError.__module__, ToolError.__qualname__ = "builtins", "ToolError"
    try:
        exec(compile(code, name, "exec"), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        try:
            sys.stdout.flush()
        except Exception:
            pass
        told = traceback.TracebackException.from_exception(error)
        own_frames(told)
        os.write(2, "".join(told.format()).encode("utf-8", "backslashreplace"))
        sys.exit(1)


run_program()
`;

/** The arguments of Python that run it: apart from the user's settings, with the standard library alone. */
export const PYTHON_ARGUMENTS: readonly string[] = [
  "-I",
  "-S",
  "-B",
  "-X",
  "utf8",
  "-c",
  'import sys; exec(compile(sys.argv[1], "<host>", "exec"), {"__name__": "host"})',
  HOST,
];
