/**
 * A validator's key and the store that it signs with. They are made together and name each other: a
 * key whose store is lost might sign a second time what it signed before, so it never signs again.
 *
 * ```
 * key.json       {"seed", "store"}: secret; `store` is the id that the store holds too
 * node.sqlite    the store; of no chain yet until the key's node starts for the first time
 * ```
 */
import { dirname, join } from "node:path";
import type { Random } from "#internal/core/mod.ts";
import { parseJson, stringifyJson, toHex, utf8, utf8Text } from "#internal/core/mod.ts";
import { SEED_BYTES } from "#internal/crypto/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import { wire } from "#internal/rpc/mod.ts";
import {
  ensureFolder,
  pathExists,
  readPrivateFile,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";
import { openNodeState, readNodeStateLabel } from "#internal/store/mod.ts";
import { NodeError } from "./errors.ts";

/** A key file's name in its folder, and that of a node's store. */
export const KEY_FILE = "key.json";
export const STORE_FILE = "node.sqlite";

/** What a key file holds. */
export interface NodeKey {
  /** Secret: 32 bytes that the validator's keys derive from. */
  readonly seed: Uint8Array;
  /** The id that its store must hold. */
  readonly store: string;
}

/** Where a node keeps its things. */
export interface NodePlace {
  /** What messages call the node: `validator 2`, `this node`. */
  readonly name: string;
  /** Path of its store. */
  readonly database: string;
  /** The store's path as messages show it. */
  readonly shown: string;
  /** Undefined where it only follows. */
  readonly key?: NodeKey;
}

const keyShape = wire.record({ seed: wire.hex(SEED_BYTES), store: wire.string(64) }, "closed");

/** A fresh key, of which nothing is on disk yet. */
export function newKey(random: Random): NodeKey {
  return { seed: random(SEED_BYTES), store: toHex(random(16)) };
}

/** Puts a key into its file, readable by its owner only. */
export async function writeKey(path: string, { seed, store }: NodeKey): Promise<void> {
  await ensureFolder(dirname(path));
  await writeFileAtomic(path, utf8(`${stringifyJson({ seed: toHex(seed), store })}\n`));
}

/**
 * The key in a file.
 * @param shown the file as messages show it; `remedy` is what they say to do.
 * @throws {SionError} `file-exposed`; {NodeError} `folder-damaged` also when there is none
 */
export async function readKey(path: string, shown: string, remedy: string): Promise<NodeKey> {
  const bytes = await readPrivateFile(path, shown);
  try {
    if (bytes === undefined) throw new SyntaxError("it is missing");
    const { seed, store } = keyShape.parse(parseJson(utf8Text(bytes)), "key");
    if (seed.length !== SEED_BYTES) throw new SyntaxError(`the seed is not ${SEED_BYTES} bytes`);
    return { seed, store };
  } catch (cause) {
    const state = bytes === undefined ? "is missing" : "is not what sion wrote";
    throw new NodeError("folder-damaged", `${shown} ${state}: ${remedy}`, { cause });
  }
}

/** A key that can sign, since its store is there. */
export interface KeyWithStore {
  readonly seed: Uint8Array;
  /** Identity of the chain that the key is bound to; empty while nothing was signed with it. */
  readonly chain: string;
}

/**
 * A key that has its own store beside it: without it the key must never sign.
 * @param shown the file as messages show it.
 * @throws {SionError} `file-exposed`, `newer-data`; {NodeError} `folder-damaged`
 */
export async function readKeyWithStore(path: string, shown: string): Promise<KeyWithStore> {
  const remedy = "`sion genesis key <dir>` makes a key with its store";
  const { seed, store } = await readKey(path, shown, remedy);
  const file = join(dirname(path), STORE_FILE);
  const label = await pathExists(file) ? readNodeStateLabel(file, dirname(shown)) : null;
  if (label === null) {
    throw new NodeError("folder-damaged", `${shown} has no ${STORE_FILE} beside it: ${remedy}`);
  }
  if (label?.store !== store) {
    throw new NodeError(
      "folder-damaged",
      `the ${STORE_FILE} beside ${shown} is not this key's own: put that back, or ${remedy}`,
    );
  }
  return { seed, chain: label.isUnused ? "" : label.chain };
}

/** Makes the store of a key, of no chain yet. @param folder the one of the key file. */
export function makeStore(folder: string, shown: string, { store }: NodeKey): void {
  const identity = { store, chain: "", format: FORMAT_VERSION };
  openNodeState(join(folder, STORE_FILE), { shown, fresh: { identity, objects: [] } })
    ?.[Symbol.dispose]();
}
