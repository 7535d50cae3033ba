/** The state that a Pulse works on: the shards' partial trees, read and written by key. */
import { decode, encode, equalBytes, idBytes, messageOf } from "#internal/core/mod.ts";
import type { PartialTree } from "../world_input.ts";
import { fail } from "./error.ts";
import { rootOfList } from "./log.ts";
import type { BodyOf, ObjectKind, StateObject } from "./objects.ts";
import { objectCodec, shardOf } from "./objects.ts";
import { readTree, treeRoot, writeTree } from "./tree.ts";

/** Objects by key. */
export interface Objects {
  /** Null of what is shown to be absent. @throws {SionError} `witness` of what is not shown. */
  read(key: string): StateObject | null;
  write(key: string, object: StateObject): void;
}

/**
 * The object of a kind that can be nothing else, or null when there is none.
 * @throws {SionError} `witness` when it is another.
 */
export function bodyAt<K extends ObjectKind>(
  objects: Objects,
  kind: K,
  key: string,
): BodyOf<K> | null {
  const found = objects.read(key);
  if (found === null) return null;
  const { kind: is, body } = found;
  return is === kind ? body as BodyOf<K> | null : fail("witness", `a ${kind} is none`);
}

/** Objects over the shards' trees. */
export interface State extends Objects {
  /** The roots of the shards' trees as they are now. */
  shardRoots(): Uint8Array[];
  /** The trees as they are now, which show the changes too. */
  trees(): readonly PartialTree[];
}

/** @throws {SionError} `witness` unless the trees are those of the state before. */
export function openState(trees: readonly PartialTree[], stateRoot: Uint8Array): State {
  const now = [...trees];
  const shardRoots = () => now.map(treeRoot);
  if (!equalBytes(rootOfList(shardRoots()), stateRoot)) {
    fail("witness", "the witness is not of the state before");
  }
  return {
    read(key) {
      const bytes = readTree(now[shardOf(key, now.length)] as PartialTree, idBytes(key));
      if (bytes === null) return null;
      try {
        return decode(objectCodec, bytes);
      } catch (error) {
        return fail("witness", `an object is not canonical (${messageOf(error)})`);
      }
    },
    write(key, object) {
      const shard = shardOf(key, now.length);
      const bytes = encode(objectCodec, object);
      now[shard] = writeTree(now[shard] as PartialTree, idBytes(key), bytes);
    },
    shardRoots,
    trees: () => now,
  };
}

/** Changes that are kept apart until they are wanted: of a failed transaction they are dropped. */
export interface Draft extends Objects {
  keep(): void;
}

/** A draft over what is below. */
export function draftOver(below: Objects): Draft {
  const changed = new Map<string, StateObject>();
  return {
    read: (key) => changed.get(key) ?? below.read(key),
    write: (key, object) => void changed.set(key, object),
    keep() {
      for (const [key, object] of changed) below.write(key, object);
    },
  };
}
