/** What the tools that change texts share: reading one to change it, and what became of a change. */
import { stringifyJson, toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { bytesOfText, textOfBytes } from "../text/text_file.ts";
import type { TextFile } from "../text/text_file.ts";
import type { WholeFile, Workspace } from "../workspace.ts";
import { WorkspaceError } from "../workspace.ts";
import { kindOfBytes } from "../file_kind.ts";
import type { AgentToolContext } from "./_tool.ts";

/** A text that is to be changed may have so many bytes. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** A text file that was read to be changed. */
export type ReadText = WholeFile & TextFile;

/** Reads a text to change it. @throws {WorkspaceError} also when it is no text in UTF-8 */
export async function readText(workspace: Workspace, path: string): Promise<ReadText> {
  const file = await workspace.readWhole(path, MAX_TEXT_BYTES);
  const text = textOfBytes(file.bytes);
  if (text !== undefined) return { ...file, ...text };
  const { name } = kindOfBytes(file.bytes) ?? { name: "no UTF-8 text" };
  throw new WorkspaceError(
    "not-a-file",
    `${path} is ${name}, so it cannot be changed by its lines: use a command for it`,
  );
}

/** A file that a patch may change. */
export type OriginalFile = WholeFile & {
  /** Missing when it is no text. */
  readonly content?: TextFile;
};

/** Takes a file that is not there for none; other errors are thrown on. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof WorkspaceError && error.code === "missing")) throw error;
  return undefined;
}

/** Names the files of a call that stand beside others until all are ready. */
export function changeId({ session, call }: AgentToolContext): string {
  return digestOf([session, call]).slice(0, 16);
}

/** Tells texts apart. */
export function textDigest(file: TextFile): string {
  return toHex(sha256(bytesOfText(file)));
}

function digestOf(value: readonly string[]): string {
  return toHex(sha256(utf8(stringifyJson([...value]))));
}

/** A number of lines in words. */
export function countedLines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
