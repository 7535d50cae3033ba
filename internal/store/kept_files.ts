/**
 * Files that are kept for others under storage deals: `<folder>/<deal>/file`, and beside it `roots`, the
 * roots over its blocks, by which a leaf is shown without reading the rest, and `keeper`, the account that
 * got it last. A file is there whole, and is the one that was asked for, or it is not there.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes, isHex64, shortId, SionError, utf8, utf8Text } from "#internal/core/mod.ts";
import type { ShownLeaf } from "#internal/ledger/mod.ts";
import { BLOCK_BYTES, blockOf, FileHasher, showLeaf, showsLeaves } from "#internal/ledger/mod.ts";
import {
  codeOf,
  ensureFolder,
  openLargeFile,
  pathExists,
  readFileIfThere,
  receiveFile,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";

/** Bytes of a root. */
const ROOT_BYTES = 32;
/** Of a keeper: an account. */
const MOST_KEEPER_BYTES = 64;
/** Of a file of 2⁴⁵ bytes; what is larger has no place in memory either. */
const MOST_ROOTS_BYTES = 1 << 30;

/**
 * - `other-file`: what came is not the file of the deal. Nothing of it is kept.
 * - `file-damaged`: what is here is no longer the file of the deal. Data: `path`.
 */
export type KeptFileErrorCode = "other-file" | "file-damaged";

/** Which file a deal is about. */
export interface FileTerms {
  /** The deal's id. */
  readonly deal: string;
  /** Bytes. */
  readonly size: bigint;
  /** Root of the tree over its leaves: 64 hex digits. */
  readonly root: string;
}

/** The files of a folder. One process at a time uses it. */
export interface KeptFiles {
  /** Deals whose file is here, sorted. */
  list(): Promise<readonly string[]>;
  /** Deals of which something is here, a file that did not come whole too; sorted. */
  begun(): Promise<readonly string[]>;
  /** The bytes that are here of a deal's file; undefined when there is none. */
  sizeOf(deal: string): Promise<number | undefined>;
  /** Where the file of a deal is or would be. */
  pathOf(deal: string): string;
  /**
   * Takes what comes as the file of a deal. It is durable when it returns.
   * @throws {SionError} `other-file`, and what `pieces` throws.
   */
  receive(file: FileTerms, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Leaves of a file with their paths, checked against its root.
   * @throws {SionError} `file-damaged`, also when it is not there.
   */
  show(file: FileTerms, places: readonly bigint[]): Promise<readonly ShownLeaf[]>;
  /** Notes that an account keeps a deal's file from now on. Durable when it returns. */
  claim(deal: string, account: string): Promise<void>;
  /** The account that keeps a deal's file, by what was noted last; undefined without a note. */
  keeperOf(deal: string): Promise<string | undefined>;
  /** Removes a deal's file, and what is left of one that did not come whole. */
  remove(deal: string): Promise<void>;
}

/**
 * The kept files of a folder, which is made when the first one comes.
 * @param shown how a path is written in errors. @default as it is
 */
export function openKeptFiles(
  folder: string,
  shown: (path: string) => string = (path) => path,
): KeptFiles {
  const folderOf = (deal: string): string => {
    if (!isHex64(deal)) throw new RangeError(`Cannot keep a file: ${deal} is no id of a deal`);
    return join(folder, deal);
  };
  const pathOf = (deal: string): string => join(folderOf(deal), "file");
  const rootsOf = (deal: string): string => join(folderOf(deal), "roots");
  const keeperAt = (deal: string): string => join(folderOf(deal), "keeper");
  const keeperOf = async (deal: string): Promise<string | undefined> => {
    // What is no folder of sion's has no note either.
    if (!await pathExists(keeperAt(deal))) return undefined;
    const bytes = await readFileIfThere(keeperAt(deal), { mostBytes: MOST_KEEPER_BYTES });
    return bytes === undefined ? undefined : utf8Text(bytes);
  };
  const damaged = (deal: string, why: string): SionError<KeptFileErrorCode> => {
    const path = pathOf(deal);
    return new SionError(
      "file-damaged",
      `${shown(path)} is not the file of storage deal ${shortId(deal)} any more, ${why}: ` +
        "fetch it again",
      { data: { path } },
    );
  };
  const begun = async (): Promise<readonly string[]> =>
    (await namesIn(folder)).filter(isHex64).sort();
  return {
    pathOf,
    sizeOf: (deal) => sizeOf(pathOf(deal)),
    begun,
    async list() {
      const deals = await begun();
      const sizes = await Promise.all(deals.map((deal) => sizeOf(pathOf(deal))));
      return deals.filter((_deal, at) => sizes[at] !== undefined);
    },
    async receive(file, pieces) {
      await ensureFolder(folderOf(file.deal));
      const roots: Uint8Array[] = [];
      const hasher = new FileHasher((root) => void roots.push(root));
      const hashed = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of pieces) {
          hasher.add(piece);
          if (BigInt(hasher.size) > file.size) throw otherFile(file, "it is larger");
          yield piece;
        }
      };
      await receiveFile(pathOf(file.deal), hashed(), async () => {
        if (BigInt(hasher.size) !== file.size) throw otherFile(file, "it is smaller");
        if (hasher.end() !== file.root) throw otherFile(file, "its root is another");
        // Before the file has its name: where there is a file, there are its roots.
        await writeFileAtomic(rootsOf(file.deal), concatBytes(...roots));
      });
    },
    async show(file, places) {
      const path = pathOf(file.deal);
      await using opened = await openLargeFile(path, shown(path));
      if (opened === undefined) throw damaged(file.deal, "it is not there");
      const options = { mostBytes: MOST_ROOTS_BYTES };
      const roots = splitRoots(await readFileIfThere(rootsOf(file.deal), options));
      const leaves: ShownLeaf[] = [];
      for (const place of places) {
        const block = await opened.read(blockOf(place) * BLOCK_BYTES, BLOCK_BYTES);
        const leaf = leafIn(roots, block, place);
        if (leaf === undefined || !showsLeaves(file, [place], [leaf])) {
          throw damaged(file.deal, `leaf ${place} is another`);
        }
        leaves.push(leaf);
      }
      return leaves;
    },
    async claim(deal, account) {
      await ensureFolder(folderOf(deal));
      if (await keeperOf(deal) !== account) await writeFileAtomic(keeperAt(deal), utf8(account));
    },
    keeperOf,
    remove: (deal) => rm(folderOf(deal), { recursive: true, force: true }),
  };
}

function otherFile({ deal }: FileTerms, why: string): SionError<KeptFileErrorCode> {
  return new SionError(
    "other-file",
    `what came is not the file of storage deal ${shortId(deal)}, ${why}: nothing was kept`,
  );
}

/** Undefined where what is here has no such leaf. */
function leafIn(
  roots: readonly Uint8Array[],
  block: Uint8Array,
  place: bigint,
): ShownLeaf | undefined {
  try {
    return showLeaf(roots, block, place);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function splitRoots(bytes: Uint8Array = new Uint8Array()): Uint8Array[] {
  const roots: Uint8Array[] = [];
  for (let at = 0; at + ROOT_BYTES <= bytes.length; at += ROOT_BYTES) {
    roots.push(bytes.subarray(at, at + ROOT_BYTES));
  }
  return roots;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
