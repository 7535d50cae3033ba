#!/usr/bin/env python3
"""An MCP server that keeps notes as files in its directory, with Python's standard library alone.

One message is one line of JSON on standard input, its answer one line on standard output. Both eras of
the protocol are spoken, each request by its own: version 2026-07-28, where a request carries its version
in `_meta`, and the `initialize` handshake of the versions before it.
"""

import json
import os
import re
import sys
import tempfile

INFO = {"name": "notes", "version": "1.0"}
MODERN = "2026-07-28"
LEGACY = ["2025-11-25", "2025-06-18"]
META = "io.modelcontextprotocol/"
CAPABILITIES = {"tools": {}}
INSTRUCTIONS = "Keeps short notes by name, as files on this machine."
# Clients may keep the list of tools: it never changes while this runs.
CACHEABLE = {"ttlMs": 3600000, "cacheScope": "public"}

# Bytes of a line, and characters of a note.
MAX_LINE = 1 << 20
MAX_TEXT = 64 * 1024

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNSUPPORTED_VERSION = -32022


class ProtocolError(Exception):
    """A request that is not served at all."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class NoteError(Exception):
    """A call that could not be carried out: a sentence for whoever made it."""


# --- the notes ---


def path_of(name):
    if re.fullmatch("[a-z0-9-]{1,64}", name) is None:
        raise NoteError("%s is no name of a note: use lowercase letters, digits and hyphens" % name[:100])
    return name + ".txt"


def list_notes():
    names = sorted(
        entry.name[:-4]
        for entry in os.scandir(".")
        if re.fullmatch(r"[a-z0-9-]{1,64}\.txt", entry.name) and entry.is_file(follow_symlinks=False)
    )
    return "\n".join(names) if names else "no notes are kept"


def open_note(name):
    # Never through a link: what lies outside of this directory is no note.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
    try:
        return open(os.open(path_of(name), flags), encoding="utf-8", newline="")
    except OSError:
        raise NoteError("there is no note %s: list_notes has their names" % name) from None


def read_note(name):
    with open_note(name) as file:
        return file.read()


def add_note(name, text):
    if len(text) > MAX_TEXT:
        raise NoteError("the text has %d characters: at most %d are kept" % (len(text), MAX_TEXT))
    path = path_of(name)
    # Written beside it and renamed, so that a note is the old one or the new one, never half of one.
    descriptor, fresh = tempfile.mkstemp(dir=".", prefix=".note-")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise
    return "kept note %s" % name


def delete_note(name):
    open_note(name).close()
    os.unlink(path_of(name))
    return "deleted note %s" % name


NAME = {"type": "string", "description": "The note's name", "pattern": "^[a-z0-9-]{1,64}$"}
TEXT = {"type": "string", "description": "What it says", "maxLength": MAX_TEXT}


def tool(run, description, arguments, **hints):
    """A tool: what it does, its arguments, and what it says of itself (nothing of it leaves this machine)."""
    wire = {
        "name": run.__name__,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": arguments,
            "required": sorted(arguments),
            "additionalProperties": False,
        },
        "annotations": {"openWorldHint": False, **hints},
    }
    return run, wire


TOOLS = [
    tool(list_notes, "List the notes kept, by name.", {}, readOnlyHint=True),
    tool(read_note, "Read a note by its name.", {"name": NAME}, readOnlyHint=True),
    tool(
        add_note,
        "Keep a note under a name (lowercase letters, digits and hyphens), replacing one of that name.",
        {"name": NAME, "text": TEXT},
        readOnlyHint=False,
        idempotentHint=True,
    ),
    tool(delete_note, "Delete a note by its name.", {"name": NAME}, readOnlyHint=False),
]


def call_tool(params):
    name, given = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(given, dict):
        raise ProtocolError(INVALID_PARAMS, "name must be a string and arguments an object")
    for run, wire in TOOLS:
        if wire["name"] == name:
            break
    else:
        raise ProtocolError(INVALID_PARAMS, "there is no tool named %s" % name[:100])
    wanted = wire["inputSchema"]["required"]
    try:
        if sorted(given) != wanted or not all(isinstance(value, str) for value in given.values()):
            raise NoteError("%s takes %s, as text" % (name, " and ".join(wanted) or "no arguments"))
        text, failed = run(**given), False
    except NoteError as error:
        text, failed = str(error), True
    except (OSError, UnicodeError) as error:
        text, failed = "the notes could not be used: %s" % error, True
    result = {"content": [{"type": "text", "text": text}]}
    return {**result, "isError": True} if failed else result


# --- the protocol ---


def initialize(params):
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY else LEGACY[0],
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "serverInfo": INFO,
    }


def discover(_params):
    return {
        **CACHEABLE,
        "supportedVersions": [MODERN, *LEGACY],
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }


def list_tools(params):
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "there is one page of tools: give no cursor")
    return {"tools": [wire for _, wire in TOOLS]}


LEGACY_METHODS = {
    "initialize": initialize,
    "ping": lambda _params: {},
    "tools/call": call_tool,
    "tools/list": list_tools,
}
MODERN_METHODS = {
    "server/discover": discover,
    "tools/call": call_tool,
    "tools/list": lambda params: {**CACHEABLE, **list_tools(params)},
}


def check_envelope(meta):
    """Refuses a request of a version that is not spoken, and names those that are."""
    requested = meta.get(META + "protocolVersion")
    if not isinstance(requested, str):
        raise ProtocolError(INVALID_PARAMS, "_meta needs %sprotocolVersion" % META)
    if requested != MODERN:
        data = {"requested": requested, "supported": [MODERN, *LEGACY]}
        raise ProtocolError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        raise ProtocolError(INVALID_PARAMS, "_meta needs %sclientCapabilities" % META)


def answer(method, params):
    """The result of a request, by its own era: nothing that came before it counts."""
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise ProtocolError(INVALID_PARAMS, "_meta must be an object")
    modern = META + "protocolVersion" in meta or method == "server/discover"
    if modern:
        check_envelope(meta)
    run = (MODERN_METHODS if modern else LEGACY_METHODS).get(method)
    if run is None:
        raise ProtocolError(NO_METHOD, "there is no method %s" % method[:100])
    result = run(params)
    if modern:
        result = {**result, "resultType": "complete", "_meta": {META + "serverInfo": INFO}}
    return result


def handle(message):
    """The answer to a message, or None where none is due."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "a message is an object of JSON-RPC 2.0")
    method, params = message.get("method"), message.get("params", {})
    if "id" not in message or not isinstance(method, str):
        # Notices, and answers to what was never asked.
        return None
    request = message["id"]
    if isinstance(request, bool) or not isinstance(request, (str, int)):
        raise ProtocolError(INVALID_REQUEST, "an id is a string or an integer")
    try:
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "params must be an object")
        return {"jsonrpc": "2.0", "id": request, "result": answer(method, params)}
    except ProtocolError as refused:
        return {"jsonrpc": "2.0", "id": request, "error": refused.error}


def messages(stream):
    """The messages of a stream, or why a line is none. Of a line that is too long nothing is kept."""
    while line := stream.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            yield None, "a line has at most %d bytes" % MAX_LINE
        elif line.strip():
            try:
                yield json.loads(line), None
            except (ValueError, RecursionError):
                yield None, "a line is one message of JSON"


def main():
    for message, problem in messages(sys.stdin.buffer):
        try:
            if problem is not None:
                raise ProtocolError(PARSE_ERROR, problem)
            reply = handle(message)
        except ProtocolError as refused:
            reply = {"jsonrpc": "2.0", "id": None, "error": refused.error}
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
