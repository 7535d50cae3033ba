/**
 * Puts a server's entry into the text of a client's file. What else is there stays to the byte,
 * comments included: the result is read again, and refused where anything but the entry differs.
 */
import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, type Node, parse, type ParseError, parseTree } from "jsonc-parser";
import { parse as parseToml, stringify as stringifyToml } from "smol-toml";
import { messageOf, SionError, utf8Text } from "#internal/core/mod.ts";
import type { AiClient, ServerEntry } from "./ai_client.ts";
import { entryOf } from "./ai_client.ts";

/**
 * `client-file`: the file cannot be edited as it is. `entry-taken`: another server has the name.
 * Data: none.
 */
export type EditErrorCode = "client-file" | "entry-taken";

/** What is to be put where. */
export interface Edit {
  readonly client: AiClient;
  /** The server's name in the client. */
  readonly name: string;
  readonly entry: ServerEntry;
  /** Whether an entry of that name, that differs, is replaced. */
  readonly replace: boolean;
  /** The file as messages show it. */
  readonly shown: string;
}

/** Some editors begin a file with it; it is no part of what the file holds. */
const BYTE_ORDER_MARK = "\ufeff";

type Table = { readonly [key: string]: unknown };

/**
 * The text of a client's file.
 * @param shown the file as messages show it
 * @throws {SionError} `client-file` when it is not UTF-8
 */
export function clientFileText(bytes: Uint8Array, shown: string): string {
  try {
    return utf8Text(bytes);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new SionError<EditErrorCode>(
      "client-file",
      `${shown} is no UTF-8 text: mend it first`,
      { cause },
    );
  }
}

/**
 * The file's text with the entry; the same text when it has it already.
 * @throws {SionError} `client-file`, `entry-taken`
 */
export function withEntry(text: string, edit: Edit): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  return mark + edited(text.slice(mark.length), edit);
}

function edited(text: string, edit: Edit): string {
  const { client, name } = edit;
  const wanted = entryOf(client, edit.entry);
  const before = read(text, edit);
  const found = serverOf(before, edit);
  if (isDeepStrictEqual(found, wanted)) return text;
  if (found !== undefined && !edit.replace) {
    throw new SionError<EditErrorCode>(
      "entry-taken",
      `another server of ${client.title}'s is named ${name} in ${edit.shown}: give --replace to put ` +
        "this one in its place, or --name another",
    );
  }
  const path = [...client.servers, name];
  const after = client.format === "toml"
    ? tomlWith(text, path, wanted)
    : jsonWith(text, path, wanted);
  if (!isDeepStrictEqual(readAgain(after, edit), setIn(before, path, wanted))) {
    throw new SionError<EditErrorCode>(
      "client-file",
      `${edit.shown} has its servers in a form that sion does not edit: add ${
        path.join(".")
      } by hand, with ${JSON.stringify(wanted)}`,
    );
  }
  return after;
}

/** What the edited text holds; undefined where it is not even of its format. */
function readAgain(text: string, edit: Edit): Table | undefined {
  try {
    return read(text, edit);
  } catch {
    return undefined;
  }
}

function read(text: string, { client, shown }: Edit): Table {
  try {
    const value = client.format === "toml"
      ? parseToml(text, { integersAsBigInt: "asNeeded" })
      : parseJsonc(text);
    // The two parsers make objects of other prototypes.
    const plain: unknown = structuredClone(value);
    if (isTable(plain)) return plain;
  } catch (error) {
    throw new SionError<EditErrorCode>(
      "client-file",
      `${shown} is no ${client.format === "toml" ? "TOML" : "JSON"} (${
        messageOf(error).split("\n")[0]
      }): mend it first`,
    );
  }
  throw new SionError<EditErrorCode>("client-file", `${shown} holds no object: mend it first`);
}

function parseJsonc(text: string): unknown {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  throw new Error(`line ${text.slice(0, first.offset).split("\n").length}`);
}

function serverOf(file: Table, { client: { servers, title }, name, shown }: Edit): unknown {
  let table = file;
  for (const key of servers) {
    const next = table[key] ?? {};
    if (!isTable(next)) {
      throw new SionError<EditErrorCode>(
        "client-file",
        `${servers.join(".")} in ${shown} is no table of servers as ${title} has it: mend it first`,
      );
    }
    table = next;
  }
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy with a value at a path. */
function setIn(table: Table, [key, ...rest]: readonly string[], value: unknown): Table {
  if (key === undefined) return table;
  const inner = table[key];
  const set = rest.length === 0 ? value : setIn(isTable(inner) ? inner : {}, rest, value);
  return { ...table, [key]: set };
}

/** JSON as it is laid out: what one step of indentation and the end of a line are. */
interface Layout {
  readonly step: string;
  readonly eol: string;
}

/** Nothing is laid out anew: only what is put in, as the text around it is. */
function jsonWith(text: string, path: readonly string[], wanted: Table): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [, step = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  const layout = { step, eol };
  const options = { allowTrailingComma: true };
  const root = parseTree(text, [], options);
  if (root === undefined) return `${print(setIn({}, path, wanted), "", layout)}${eol}`;
  const there = findNodeAtLocation(root, [...path]);
  if (there !== undefined) {
    const value = print(wanted, indentAt(text, there.offset), layout);
    return text.slice(0, there.offset) + value + text.slice(there.offset + there.length);
  }
  // The deepest object on the way that there is takes the rest of it.
  for (let depth = path.length - 1;; depth--) {
    const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    if (object === undefined) continue;
    const [key = "", ...rest] = path.slice(depth);
    const value = rest.length === 0 ? wanted : setIn({}, rest, wanted);
    return withProperty(text, object, { key, value, layout });
  }
}

/** What stands between a property and the end of its line: a comma, space, a comment. */
const REST_OF_LINE = /^([ \t]*,)?[ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n)/;

/** An object with one property more, as its last. */
function withProperty(
  text: string,
  object: Node,
  { key, value, layout }: { key: string; value: Table; layout: Layout },
): string {
  const outer = indentAt(text, object.offset);
  const line = `${layout.eol}${outer}${layout.step}${JSON.stringify(key)}: ${
    print(value, outer + layout.step, layout)
  }`;
  const last = object.children?.at(-1);
  if (last === undefined) {
    const inner = text.slice(object.offset + 1, object.offset + object.length - 1).trimEnd();
    return text.slice(0, object.offset + 1) + inner + line + layout.eol + outer +
      text.slice(object.offset + object.length - 1);
  }
  const end = last.offset + last.length;
  const after = text.slice(end);
  const match = REST_OF_LINE.exec(after);
  const comma = /^\s*,/.test(after);
  if (match === null) {
    const closing = comma ? "" : `${layout.eol}${outer}`;
    return `${text.slice(0, end)},${line}${closing}${comma ? after : after.trimStart()}`;
  }
  const [rest, hasComma] = match;
  return text.slice(0, end) + (hasComma === undefined ? "," : "") + rest + line +
    (hasComma === undefined ? "" : ",") + after.slice(rest.length);
}

/** A value over several lines, all but the first indented. */
function print(value: unknown, indent: string, { step, eol }: Layout): string {
  return JSON.stringify(value, null, step).replaceAll("\n", `${eol}${indent}`);
}

/** The space that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** A header of a table at the beginning of a line. */
const HEADER = /^[ \t]*\[/;

/** TOML has tables in any order: the entry's take the place of those that were there, or the end. */
function tomlWith(text: string, path: readonly string[], wanted: Table): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text === ""
    ? []
    : (text.endsWith("\n") ? text : text + eol).split("\n").slice(0, -1);
  const isOwn = (line: string): boolean => HEADER.test(line) && startsWith(headerPath(line), path);
  const first = lines.findIndex(isOwn);
  const from = first < 0 ? lines.length : first;
  let to = from;
  if (first >= 0) {
    for (to = from + 1; to < lines.length; to++) {
      if (HEADER.test(lines[to] as string) && !isOwn(lines[to] as string)) break;
    }
    // Comments before the next table are the next table's.
    while (to > from + 1 && /^\s*(#.*)?\r?$/.test(lines[to - 1] as string)) to--;
  }
  const own = stringifyToml(setIn({}, path, wanted)).trimEnd().split("\n")
    .filter((line) => line !== `[${path.slice(0, -1).join(".")}]`);
  while (own[0] === "") own.shift();
  if (first < 0 && from > 0 && (lines[from - 1] as string).trim() !== "") own.unshift("");
  lines.splice(from, to - from, ...own.map((line) => line + eol.slice(0, -1)));
  return `${lines.join("\n")}\n`;
}

/** The keys of a table's header; none for what is no header. */
function headerPath(line: string): readonly string[] {
  try {
    const keys: string[] = [];
    let value: unknown = parseToml(line.trimEnd());
    while (isTable(value)) {
      const [key] = Object.keys(value);
      if (key === undefined) break;
      keys.push(key);
      value = value[key];
    }
    return keys;
  } catch {
    return [];
  }
}

function startsWith(keys: readonly string[], path: readonly string[]): boolean {
  return path.every((key, i) => keys[i] === key);
}
