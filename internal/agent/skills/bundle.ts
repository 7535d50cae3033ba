/**
 * A skill as one file: an uncompressed tar (POSIX ustar) with its files in one order and nothing in it
 * that the machine or the time has a part in. So the same files are the same bytes everywhere, one
 * digest names them, and `tar tf` shows what is inside.
 */
import { concatBytes, equalBytes, messageOf, toHex, utf8, utf8Text } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { AgentError } from "../errors.ts";
import { readDeclaration, SKILL_FILE } from "./declaration.ts";
import type { Declaration } from "./declaration.ts";
import { checkedFiles, MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, pathFault } from "./files.ts";
import type { SkillFile } from "./files.ts";

const BLOCK = 512;
const NAME_BYTES = 100;
/** A bundle of the most files and bytes, with a header and padding for each. */
export const MAX_BUNDLE_BYTES = MAX_BYTES + MAX_FILES * 2 * BLOCK + 2 * BLOCK;

/** What a bundle holds. */
export interface Bundle {
  /** SHA-256 of the bundle, 64 hex digits: the release's name. */
  readonly digest: string;
  readonly files: readonly SkillFile[];
  readonly declaration: Declaration;
}

/** The bundle of a skill's files. @throws {AgentError} `skill` */
export function packBundle(files: readonly SkillFile[]): Uint8Array {
  const blocks = checkedFiles(files, "the skill").flatMap((file) => [
    headerOf(file),
    file.bytes,
    new Uint8Array((BLOCK - file.bytes.length % BLOCK) % BLOCK),
  ]);
  return concatBytes(...blocks, new Uint8Array(2 * BLOCK));
}

/**
 * The files of a bundle. Only what `packBundle` makes is one: there is one encoding of the same files.
 * @throws {AgentError} `skill`
 */
export function unpackBundle(bytes: Uint8Array, shown: string): readonly SkillFile[] {
  const wrong = (why: string): AgentError =>
    new AgentError(
      "skill",
      `${shown} is no bundle of a skill (${why}): pack one with sion skill pack`,
    );
  if (bytes.length > MAX_BUNDLE_BYTES) throw wrong(`it has more than ${MAX_BUNDLE_BYTES} bytes`);
  if (bytes.length % BLOCK !== 0 || bytes.length < 3 * BLOCK) throw wrong("its length is none");
  const files: SkillFile[] = [];
  const end = bytes.length - 2 * BLOCK;
  for (let at = 0; at < end;) {
    const header = bytes.subarray(at, at + BLOCK);
    const [path, size] = [pathIn(header), sizeIn(header)];
    if (path === undefined || pathFault(path) !== undefined) throw wrong("a path in it is none");
    if (!(size <= MAX_FILE_BYTES) || at + BLOCK + size > end) throw wrong(`${path} is cut off`);
    if (files.length === MAX_FILES) throw wrong(`it has more than ${MAX_FILES} files`);
    const from = at + BLOCK;
    const executable = (header[MODE_AT + 4] as number) === "7".charCodeAt(0);
    files.push({ path, bytes: bytes.slice(from, from + size), executable });
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  const sorted = checkedFiles(files, shown);
  if (!equalBytes(packBundle(sorted), bytes)) throw wrong("it is a tar, but not as sion packs one");
  return sorted;
}

/** A bundle, checked whole. @throws {AgentError} `skill` */
export async function readBundle(bytes: Uint8Array, shown: string): Promise<Bundle> {
  const files = unpackBundle(bytes, shown);
  const declaration = await declarationIn(files, shown);
  return { digest: toHex(sha256(bytes)), files, declaration };
}

async function declarationIn(
  files: readonly SkillFile[],
  shown: string,
): Promise<Declaration> {
  const file = files.find(({ path }) => path === SKILL_FILE);
  return await readDeclaration(
    instructionsText(file?.bytes ?? new Uint8Array(), `${shown}/${SKILL_FILE}`),
    `${shown}/${SKILL_FILE}`,
  );
}

/** The text of a `SKILL.md`. @throws {AgentError} `skill` when it is none */
export function instructionsText(bytes: Uint8Array, shown: string): string {
  try {
    return utf8Text(bytes);
  } catch (cause) {
    throw new AgentError("skill", `${shown} is no UTF-8 text (${messageOf(cause)}): mend it`, {
      cause,
    });
  }
}

const MODE_AT = 100;
const SIZE_AT = 124;
const CHECKSUM_AT = 148;
const TYPE_AT = 156;
const MAGIC_AT = 257;
const PREFIX_AT = 345;
const PREFIX_BYTES = 155;

function headerOf({ path, bytes, executable }: SkillFile): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (at: number, value: Uint8Array | string): void =>
    header.set(typeof value === "string" ? utf8(value) : value, at);
  const octal = (at: number, length: number, value: number): void =>
    put(at, value.toString(8).padStart(length - 1, "0"));
  const { prefix, name } = splitPath(path);
  put(0, name);
  octal(MODE_AT, 8, executable ? 0o755 : 0o644);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(SIZE_AT, 12, bytes.length);
  octal(136, 12, 0);
  put(CHECKSUM_AT, "        ");
  put(TYPE_AT, "0");
  put(MAGIC_AT, "ustar\x0000");
  octal(329, 8, 0);
  octal(337, 8, 0);
  put(PREFIX_AT, prefix);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(CHECKSUM_AT, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}

/** A path's two fields: what does not fit into the name is folders before it. */
function splitPath(path: string): { readonly prefix: Uint8Array; readonly name: Uint8Array } {
  const whole = utf8(path);
  if (whole.length <= NAME_BYTES) return { prefix: new Uint8Array(), name: whole };
  const at = whole.indexOf("/".charCodeAt(0), whole.length - NAME_BYTES - 1);
  if (at === -1 || at > PREFIX_BYTES) {
    throw new AgentError("skill", `the name of ${path} is too long for a bundle: shorten it`);
  }
  return { prefix: whole.subarray(0, at), name: whole.subarray(at + 1) };
}

function pathIn(header: Uint8Array): string | undefined {
  const field = (at: number, length: number): Uint8Array => {
    const bytes = header.subarray(at, at + length);
    const end = bytes.indexOf(0);
    return end === -1 ? bytes : bytes.subarray(0, end);
  };
  try {
    const [prefix, name] = [
      utf8Text(field(PREFIX_AT, PREFIX_BYTES)),
      utf8Text(field(0, NAME_BYTES)),
    ];
    return prefix === "" ? name : `${prefix}/${name}`;
  } catch {
    return undefined;
  }
}

function sizeIn(header: Uint8Array): number {
  const text = String.fromCharCode(...header.subarray(SIZE_AT, SIZE_AT + 11));
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : NaN;
}
