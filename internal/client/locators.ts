/**
 * Files as deals' locators name them. A locator is a stranger's word: nothing that comes is believed, and
 * nothing of this machine or its network is touched for it unless its user says so.
 */
import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { quoteOddWord } from "#internal/core/mod.ts";
import { download, openLargeFile } from "#internal/runtime/mod.ts";
import type { Context } from "./context.ts";
import { badArgument, dealUnfit } from "./errors.ts";

/** A file that is to be had. */
export interface Located {
  /** `https://…`, `file:///…`, and from the user a path or `http://…`. */
  readonly where: string;
  /** No more bytes than this are taken. */
  readonly mostBytes: number;
  /** Whether the user named it, who may name what this user can read. */
  readonly isOwnWord: boolean;
  /** Folders in which a stranger's `file:///…` may lead to; undefined: in any. */
  readonly local?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a word names a URL rather than a path. */
function isUrl(where: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(where);
}

/**
 * The bytes of a file, piece by piece.
 * @throws {SionError} `download`, `argument`, `file-unfit`, `deal-unfit`
 */
export async function* filePieces(context: Context, file: Located): AsyncGenerator<Uint8Array> {
  const { where, isOwnWord, mostBytes, signal } = file;
  if (isUrl(where) && !/^file:/i.test(where)) {
    yield* download({
      url: where,
      mostBytes,
      allowPlain: isOwnWord,
      allowPrivate: file.allowPrivate ?? false,
      ...(signal === undefined ? {} : { signal }),
    });
    return;
  }
  const path = isUrl(where) ? pathOf(where) : resolve(where);
  if (!isOwnWord && file.local !== undefined) await requireWithin(context, path, file.local);
  const shown = context.shown(path);
  await using opened = await openLargeFile(path, shown);
  if (opened === undefined) throw badArgument(`there is no file ${shown}: check the path`);
  let size = 0;
  for await (const piece of opened.pieces(signal)) {
    size += piece.length;
    if (size > mostBytes) throw badArgument(`${shown} has more than ${mostBytes} bytes`);
    yield piece;
  }
}

function pathOf(url: string): string {
  const unfit = (cause?: unknown) =>
    badArgument(`${quoteOddWord(url)} names no file: check it`, cause);
  let path: string;
  try {
    path = fileURLToPath(url);
  } catch (error) {
    throw unfit(error);
  }
  // The system has no name with a zero byte.
  if (path.includes("\0")) throw unfit();
  return path;
}

/** What is linked to elsewhere is elsewhere. */
async function requireWithin(
  context: Context,
  path: string,
  folders: readonly string[],
): Promise<void> {
  const real = await realpath(path).catch(() => undefined);
  for (const folder of folders) {
    const within = await realpath(folder).catch(() => undefined);
    if (real !== undefined && within !== undefined && real.startsWith(within + sep)) return;
  }
  throw dealUnfit(
    `its file is ${context.shown(path)} on this machine, outside of what --local allows`,
  );
}
