/** How a file of the machine and its write points are described. */

/** How a method writes. */
export interface WriteRow<S> {
  /** What was durable before. */
  readonly before?: (store: S) => unknown;
  readonly write: (store: S) => unknown;
}

/** A file, its methods that only read and those that write. */
export interface KeptFile<S> {
  readonly name: string;
  /** The source file that opens it, under `internal/`. */
  readonly source: string;
  readonly path: (folder: string) => string;
  readonly open: (folder: string) => S;
  readonly close: (store: S) => void;
  readonly methods: (store: S) => readonly string[];
  readonly reads: Readonly<Record<string, (store: S) => unknown>>;
  /** The method, and what it is about if it has several rows: `commitPulse: the first`. */
  readonly writes: Readonly<Record<string, WriteRow<S>>>;
  /** SQL that makes a file of schema n of one of schema n + 1, at n. */
  readonly older?: Readonly<Record<number, string>>;
}

/** Methods of a store made as an object or as a class; those with a name. */
export function methodsOf(store: object): string[] {
  const prototype = Object.getPrototypeOf(store) as object;
  const owner = prototype === Object.prototype ? store : prototype;
  return Object.getOwnPropertyNames(owner).filter((name) =>
    name !== "constructor" && typeof (store as Record<string, unknown>)[name] === "function"
  );
}
