/**
 * A persistent map keyed by ids: the next version shares all that did not change, and versions stay
 * readable. A trie over the hex digits of the ids, which are hashes, so it is balanced by itself.
 */

interface Leaf<V> {
  readonly slots: undefined;
  readonly key: string;
  readonly value: V;
}

interface Branch<V> {
  readonly slots: (Leaf<V> | Branch<V> | undefined)[];
  /** The update that made this branch, which alone may change it in place. */
  readonly owner: object;
}

type Node<V> = Leaf<V> | Branch<V>;

const WIDTH = 16;

function isBranch<V>(node: Node<V>): node is Branch<V> {
  return node.slots !== undefined;
}

/** Value of the hex digit at a place of an id. */
function digit(key: string, depth: number): number {
  const code = key.charCodeAt(depth);
  return code < 58 ? code - 48 : code - 87;
}

/** Immutable; `withAll` makes the next version. */
export class IdMap<V> {
  readonly #root: Branch<V>;
  readonly size: number;

  private constructor(root: Branch<V>, size: number) {
    this.#root = root;
    this.size = size;
  }

  /** The map without entries. */
  static empty<V>(): IdMap<V> {
    return new IdMap<V>({ owner: {}, slots: [] }, 0);
  }

  get(key: string): V | undefined {
    let node: Node<V> | undefined = this.#root;
    for (let depth = 0; node !== undefined; depth++) {
      if (!isBranch(node)) return node.key === key ? node.value : undefined;
      node = node.slots[digit(key, depth)];
    }
    return undefined;
  }

  /** The map with all entries set. */
  withAll(entries: Iterable<readonly [string, V]>): IdMap<V> {
    const owner = {};
    const root = owned(this.#root, owner);
    let { size } = this;
    for (const [key, value] of entries) {
      if (insert(root, { slots: undefined, key, value }, owner)) size++;
    }
    return new IdMap(root, size);
  }

  /** All entries, by ascending key. */
  *entries(): IterableIterator<readonly [string, V]> {
    yield* walk(this.#root);
  }
}

function* walk<V>(branch: Branch<V>): IterableIterator<readonly [string, V]> {
  for (const node of branch.slots) {
    if (node === undefined) continue;
    if (isBranch(node)) yield* walk(node);
    else yield [node.key, node.value];
  }
}

function owned<V>(branch: Branch<V>, owner: object): Branch<V> {
  return branch.owner === owner ? branch : { owner, slots: branch.slots.slice() };
}

/** True when the key is new. */
function insert<V>(root: Branch<V>, leaf: Leaf<V>, owner: object): boolean {
  let branch = root;
  for (let depth = 0;; depth++) {
    const at = digit(leaf.key, depth);
    const node = branch.slots[at];
    if (node === undefined) {
      while (branch.slots.length < at) branch.slots.push(undefined);
      branch.slots[at] = leaf;
      return true;
    }
    if (!isBranch(node)) {
      if (node.key === leaf.key) {
        branch.slots[at] = leaf;
        return false;
      }
      const split: Branch<V> = { owner, slots: new Array(WIDTH).fill(undefined) };
      split.slots[digit(node.key, depth + 1)] = node;
      branch.slots[at] = split;
      branch = split;
    } else {
      const child = owned(node, owner);
      branch.slots[at] = child;
      branch = child;
    }
  }
}
