/** Programs of a model's that call tools: what they are, what they see, and those that mean harm. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram } from "#internal/sandbox/mod.ts";
import type {
  ProgramAnswer,
  ProgramCall,
  ProgramEnd,
  Sandbox,
  SandboxOptions,
} from "#internal/sandbox/mod.ts";
import { dockerArguments } from "../../internal/sandbox/backends/_docker_arguments.ts";
import { needs } from "../parts.ts";
import { fakeDocker, IMAGE } from "./_fake_docker.ts";
import { testPlace, testSandbox } from "./_open.ts";

const LIMIT_MS = 120_000;
const OUTPUT = 24_000;

interface Ran extends ProgramEnd {
  readonly printed: string;
  readonly calls: readonly ProgramCall[];
}

/** Echoes what it is called with; `fail` fails. */
function echo({ tool, input }: ProgramCall): ProgramAnswer {
  if (tool === "fail") return { ok: false, text: "it failed: give another" };
  return { ok: true, text: JSON.stringify(input) };
}

async function run(
  sandbox: Sandbox,
  code: string,
  answer: (call: ProgramCall, signal: AbortSignal) => ProgramAnswer | Promise<ProgramAnswer> = echo,
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const calls: ProgramCall[] = [];
  const end = await runProgram(
    sandbox,
    { code, tools: ["echo", "fail"] },
    async (call, over) => {
      calls.push(call);
      return await answer(call, over);
    },
    { signal, outputLength: OUTPUT },
  );
  return { ...end, calls, printed: end.output.head + end.output.tail };
}

const isThere = needs("bubblewrap", "programs over tools") && needs("python", "the same");

describe.skipIf(!isThere)("runProgram()", () => {
  const opened = (options: SandboxOptions = {}) => testSandbox(options);

  test(
    "gives a program its tools as functions, and their failures as ToolError [A-195..A-198 A-204]",
    { timeout: LIMIT_MS },
    async () => {
      const { status, printed, calls } = await run(
        await opened(),
        `
print(tools.echo(path="a/b.rs", limit=3, deep={"list": [1, 2.5, None, True]}))
print(call("echo", text="é⟦\\ud800"), call("with-dash", {"a": 1}, b=2))
try:
    tools.fail()
except ToolError as error:
    print("caught", error)
for wrong in (lambda: tools.echo("a"), lambda: call(), lambda: call("echo", a={1})):
    try:
        wrong()
    except TypeError as error:
        print("wrong", error)
print(dir(tools), hasattr(tools, "__len__"))
print(__name__, input.__name__)
`,
      );
      expect(printed).toBe(
        '{"path":"a/b.rs","limit":3,"deep":{"list":[1,2.5,null,true]}}\n' +
          '{"text":"é⟦\\ud800"} {"a":1,"b":2}\n' +
          "caught it failed: give another\n" +
          "wrong give the input by name: tools.echo(argument=...)\n" +
          'wrong give a tool by its name, then its input: call("name", argument=...)\n' +
          "wrong Object of type set is not JSON serializable\n" +
          "['echo', 'fail'] False\n__main__ input\n",
      );
      expect(status).toBe(0);
      expect(calls.map(({ tool }) => tool)).toEqual(["echo", "echo", "with-dash", "fail"]);
    },
  );

  test(
    "ends a program that fails with its own traceback, and no line of what runs it [A-219]",
    { timeout: LIMIT_MS },
    async () => {
      const sandbox = await opened();
      const failed = await run(
        sandbox,
        "def f(x):\n    return tools.fail(x=x)\n\nprint('before')\nf(1)\n",
      );
      expect(failed.status).toBe(1);
      expect(failed.printed.replaceAll(/^ +[~^]+\n/gm, "")).toBe(
        "before\nTraceback (most recent call last):\n" +
          '  File "program.py", line 5, in <module>\n    f(1)\n' +
          '  File "program.py", line 2, in f\n    return tools.fail(x=x)\n' +
          "ToolError: it failed: give another\n",
      );
      const chained = await run(
        sandbox,
        "try:\n    tools.fail()\nexcept ToolError:\n    raise ValueError('x')",
      );
      expect(chained.printed).toContain("During handling of the above exception");
      expect(chained.printed).not.toContain("<host>");
      expect((await run(sandbox, "def f(:")).printed).toContain("SyntaxError");
      expect(await run(sandbox, "import sys; print('a'); sys.exit(3)")).toMatchObject({
        status: 3,
        printed: "a\n",
      });
      expect(await run(sandbox, "exit('why')")).toMatchObject({ status: 1, printed: "why\n" });
    },
  );

  test(
    "shows a program nothing of the session: no workspace, no network, no package [A-200..A-202]",
    { timeout: LIMIT_MS },
    async () => {
      const place = testPlace();
      writeFileSync(join(place.workspace, "a.txt"), "CANARY");
      const shown = join(place.folder, "shown");
      mkdirSync(shown);
      writeFileSync(join(shown, "b.txt"), "CANARY");
      for (const network of ["none", "host"]) {
        const sandbox = await testSandbox({ network, read: [shown] }, place);
        const { printed, status } = await run(
          sandbox,
          `
import asyncio, os, socket, subprocess, sys
for path in ("/workspace", "/output", ${JSON.stringify(shown)}, ${JSON.stringify(place.home)},
             "/home", "/root", "/etc/shadow", "/var"):
    print(path, os.path.exists(path))
print(sorted(os.environ), os.getcwd(), os.getuid() != 0)
print([p for p in sys.path if "packages" in p])
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try:
        socket.socket(family)
    except OSError as error:
        print("no socket")
try:
    open("/usr/x", "w")
except OSError as error:
    print("no writing", error.errno)
for name in ("yaml", "numpy", "pytest", "requests"):
    try:
        __import__(name)
        print("has", name)
    except ImportError:
        pass
open("/tmp/own", "w").write("x")
async def one():
    return 1
print(asyncio.run(one()), subprocess.run(["true"]).returncode, repr(sys.stdin.read()))
`,
        );
        expect(printed).toBe(
          ["/workspace", "/output", shown, place.home, "/home", "/root", "/etc/shadow", "/var"]
            .map((path) => `${path} False\n`).join("") +
            "['HOME', 'LANG', 'PATH', 'PWD', 'TERM', 'TMPDIR', 'USER'] /tmp True\n[]\n" +
            "no socket\nno socket\nno socket\nno writing 30\n1 0 ''\n",
        );
        expect(status).toBe(0);
      }
    },
  );

  test(
    "bounds what it prints, and keeps how it began and ended [A-218]",
    { timeout: LIMIT_MS },
    async () => {
      const { output } = await run(
        await opened(),
        "print('first')\nfor n in range(300000): print('é' * 10)\nraise ValueError('last')",
      );
      expect(output.head.length + output.tail.length).toBe(OUTPUT);
      expect(output.head).toMatch(/^first\né/);
      expect(output.tail).toMatch(/ValueError: last\n$/);
      expect(output.length).toBeGreaterThan(3_300_000);
    },
  );

  test(
    "stops a program at the time limit, with the call that it waits for [A-217]",
    { timeout: LIMIT_MS },
    async () => {
      const sandbox = await opened({ timeout: "2" });
      const running = await run(sandbox, "print('on')\nwhile True: pass");
      expect(running).toMatchObject({ stopped: "time", printed: "on\n" });
      let given = "";
      const waiting = await run(sandbox, "tools.echo()", (_call, over) =>
        new Promise((resolve) => {
          over.addEventListener("abort", () => {
            given = "aborted";
            resolve({ ok: false, text: "too late" });
          });
        }));
      expect(waiting.stopped).toBe("time");
      expect(given).toBe("aborted");
    },
  );

  test(
    "stops a program when nobody waits for it, and when a call cannot be made at all",
    { timeout: LIMIT_MS },
    async () => {
      const sandbox = await opened();
      const cancelling = new AbortController();
      const ended = run(sandbox, "tools.echo()\nwhile True: pass", (call) => {
        cancelling.abort();
        return echo(call);
      }, cancelling.signal);
      expect(await ended).toMatchObject({ stopped: "cancelled" });
      const broken = run(sandbox, "tools.echo()\nwhile True: pass", () => {
        throw new Error("the session was lost");
      });
      await expect(broken).rejects.toThrow("the session was lost");
    },
  );

  // Whoever writes to where it is answered waits for itself, until its time is over.
  const REQUESTS = "import os\ndef all_pipes(data):\n    for n in range(64):\n" +
    "        try:\n            if os.readlink(f'/proc/self/fd/{n}').startswith('pipe:'):\n" +
    "                os.write(n, data)\n        except OSError: pass\n";
  /** Programs that leave the pipe that their calls go through, and how they end. */
  const HOSTILE: Readonly<Record<string, { code: string; end: Partial<ProgramEnd> }>> = {
    "writes garbage to every file it has": {
      code: `${REQUESTS}all_pipes(b"\\x00\\xff garbage\\n")\nwhile True: pass`,
      end: { stopped: "pipe" },
    },
    "writes a line that never ends": {
      code: `${REQUESTS}while True: all_pipes(b"x" * 65536)`,
      end: { stopped: "pipe" },
    },
    "writes what is nested too deep": {
      code: `${REQUESTS}all_pipes(b'{"tool":"echo","input":{"a":' + b"[" * 9999 + b"]" * 9999 + ` +
        `b"}}\\n")\nwhile True: pass`,
      end: { stopped: "pipe" },
    },
    "writes a call with more in it": {
      code: `${REQUESTS}all_pipes(b'{"tool":"echo","input":{},"approved":true}\\n')\n` +
        "while True: pass",
      end: { stopped: "pipe" },
    },
    "names a tool by what is no name": {
      code: `${REQUESTS}all_pipes(b'{"tool":["echo"],"input":{}}\\n')\nwhile True: pass`,
      end: { stopped: "pipe" },
    },
    "closes all its files and goes on": {
      code: "import os, time\nos.closerange(0, 64)\ntime.sleep(0.2)\nos._exit(4)",
      end: { status: 4 },
    },
    "closes where it is answered and asks": {
      code: `${REQUESTS}for n in range(3, 5):\n    try: os.close(n)\n    except OSError: pass\n` +
        "try: tools.echo()\nexcept BaseException: os._exit(5)",
      end: { status: 5 },
    },
    "asks without ever taking an answer": {
      code: `${REQUESTS}import threading\nthreading.Timer(1, lambda: os._exit(6)).start()\n` +
        `while True: all_pipes(b'{"tool":"big","input":{}}\\n')`,
      end: { status: 6 },
    },
    "goes on in a second process that asks": {
      code: "import os\nif os.fork() == 0:\n    try: tools.echo()\n" +
        "    except ToolError: os._exit(7)\nelse: os._exit(os.waitstatus_to_exitcode(os.wait()[1]))",
      end: { status: 7 },
    },
    "leaves processes behind": {
      code: "import os, time\nfor n in range(8):\n    if os.fork() == 0:\n        os.setsid()\n" +
        "        while True: time.sleep(9)\nos._exit(8)",
      end: { status: 8 },
    },
    "replaces what runs it": {
      code: "import os\nos.execv('/bin/sh', ['sh', '-c', 'echo out; exit 9'])",
      end: { status: 9 },
    },
    "prints to what it closed": {
      code: "import sys\nsys.stdout.close()\nsys.stderr = None\nraise SystemExit(10)",
      end: { status: 10 },
    },
  };
  test.each(Object.entries(HOSTILE))(
    "ends a program that %s [A-204]",
    { timeout: LIMIT_MS },
    async (_name, { code, end }) => {
      const sandbox = await opened();
      const answer = (call: ProgramCall): ProgramAnswer =>
        call.tool === "big" ? { ok: true, text: "x".repeat(1 << 20) } : echo(call);
      const ended = await run(sandbox, code, answer);
      expect(ended).toMatchObject(end);
      // Whatever it did, the next one is run.
      expect(await run(sandbox, "print(tools.echo(a=1))")).toMatchObject({ printed: '{"a":1}\n' });
    },
  );

  test(
    "takes the Python of the system's folders alone, and says where there is none [A-220]",
    { timeout: LIMIT_MS },
    async () => {
      const place = testPlace();
      const without = await testSandbox({}, place, {
        find: (name) => name === "python3" ? join(place.folder, "python3") : `/usr/bin/${name}`,
      });
      expect(without.python).toBeUndefined();
      await expect(run(without, "print(1)")).rejects.toThrow("there is no Python 3");
      expect((await opened()).python).toMatch(/^\/usr\/(local\/)?bin\/python3$/);
    },
  );
});

test.skipIf(!needs("python", "programs in a container"))(
  "runProgram() runs in a container, whose image is taken to have Python [A-204 A-221]",
  async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    const sandbox = await testSandbox({ sandbox: `docker:${IMAGE}` }, place, {
      find: (name) => name === "docker" ? docker.file : undefined,
    });
    expect(await run(sandbox, "print(tools.echo(a=1))\ntools.fail()")).toMatchObject({
      status: 1,
      printed: expect.stringMatching(/^\{"a":1\}\nTraceback [^]*ToolError: it failed/),
    });
    // What runs the program is one word of many lines.
    const asked = docker.asked().flat();
    const words = asked.slice(asked.lastIndexOf("run"));
    const at = words.indexOf("--entrypoint");
    expect(words.slice(at, at + 3)).toEqual(["--entrypoint", "python3", IMAGE]);
    expect(words.join(" ")).not.toContain(place.workspace);
  },
);

test("dockerArguments() shows a bare command no folder and no network [A-200 A-201]", () => {
  const args = dockerArguments({
    name: "n",
    owner: "1@host",
    image: "i",
    network: "sion-egress",
    limits: { timeMs: 1, memoryBytes: 1 << 30 },
    workspace: "/w",
    outputFolder: "/o",
    read: ["/usr/share"],
    user: { uid: 7, gid: 7 },
    isPodman: false,
    isRootless: false,
  }, { argv: ["python3", "-c", "1"], input: "pipe", bare: true });
  const after = (flag: string): readonly string[] =>
    args.flatMap((word, index) => word === flag ? [args[index + 1] ?? ""] : []);
  expect([...after("--volume"), ...after("--mount")]).toEqual([]);
  expect(after("--network")).toEqual(["none"]);
  expect(after("--workdir")).toEqual(["/tmp"]);
  expect(args).toContain("--interactive");
});
