/** The kinds of one ledger, looked up by name and tag, and the encodings that hang on them. */
import type { Codec } from "#internal/core/mod.ts";
import { LedgerError, undecodable } from "./errors.ts";
import type { AnyTxKind } from "./kind.ts";
import type { AnyObjectKind, LedgerObject } from "./object_kind.ts";

/** Tags are one byte of a ULEB128; 0 is what is no kind. */
const MAX_TAG = 127;

/** Variants with a name and a wire tag. */
export interface Registry<K extends { readonly name: string; readonly tag: number }> {
  /** By ascending tag. */
  readonly all: readonly K[];
  readonly byName: ReadonlyMap<string, K>;
  readonly byTag: ReadonlyMap<number, K>;
}

/** @throws {LedgerError} `registry` when two share a name or tag, or a tag is out of range. */
export function registryOf<K extends { readonly name: string; readonly tag: number }>(
  kinds: readonly K[],
): Registry<K> {
  const all = [...kinds].sort((a, b) => a.tag - b.tag);
  const byName = new Map(all.map((kind) => [kind.name, kind]));
  const byTag = new Map(all.map((kind) => [kind.tag, kind]));
  const outside = all.find(({ tag }) => !Number.isInteger(tag) || tag < 1 || tag > MAX_TAG);
  if (byName.size < all.length || byTag.size < all.length || outside) {
    throw new LedgerError(
      "registry",
      outside
        ? `Cannot register ${outside.name}: its tag ${outside.tag} is not 1 to ${MAX_TAG}`
        : "Cannot register kinds: two share a name or a tag",
    );
  }
  return { all, byName, byTag };
}

/** What encodings and execution need to know of the kinds. */
export interface Kinds {
  readonly tx: Registry<AnyTxKind>;
  readonly object: Registry<AnyObjectKind>;
}

/** The kind of a name. @throws {TypeError} when there is none. */
export function kindNamed<K extends { readonly name: string; readonly tag: number }>(
  registry: Registry<K>,
  name: string,
): K {
  const kind = registry.byName.get(name);
  if (kind === undefined) throw new TypeError(`Unknown kind ${name}`);
  return kind;
}

/** An object as the tag of its kind and its value. */
export function objectCodec(kinds: Registry<AnyObjectKind>): Codec<LedgerObject> {
  return {
    write(to, object) {
      const kind = kindNamed(kinds, object.kind);
      to.uleb(kind.tag);
      kind.codec.write(to, object.value);
    },
    read(from) {
      const tag = from.uleb();
      const kind = kinds.byTag.get(tag) ?? undecodable(`an object: ${tag} is no known kind`);
      return { kind: kind.name, value: kind.codec.read(from) };
    },
  };
}
