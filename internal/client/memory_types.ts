/** What a client offers of memory logs. */
import type { AccountId, ObjectId } from "#internal/core/mod.ts";
import type { Abortable, Outcome, SignOptions } from "./outcome_types.ts";

/** A new memory log. */
export interface NewMemory extends SignOptions {
  readonly wallet: string;
  /** The agent that it belongs to, by id or name; the wallet has to be its own. @default none */
  readonly agent?: string;
}

/** Which log of which wallet; an id, or the beginning of one. */
interface OwnMemory {
  readonly wallet: string;
  readonly log: string;
}

/** An atom to be remembered. Names are those of `sion_memory_remember`'s arguments. */
export interface NewAtom extends OwnMemory, Abortable {
  /** @default observation */
  readonly kind?: string | undefined;
  readonly subject: string;
  readonly predicate: string;
  /** `true` or `false`, an integer, `@name` for an entity, or text. */
  readonly value: string;
  /** Thousandths. @default 1000 */
  readonly confidence_permille?: number | undefined;
  /** When it began to hold, seconds since the Unix epoch. @default now */
  readonly from_s?: number | undefined;
  /** For how long it held. @default without end */
  readonly seconds?: number | undefined;
  /** The frame its place is in; with `at`. @default no place */
  readonly frame?: string | undefined;
  /** x, y and z in millimetres. */
  readonly at?: readonly number[] | undefined;
  /** Half the size of its box: dx, dy and dz in millimetres. @default a point */
  readonly size?: readonly number[] | undefined;
  /**
   * Where content from outside came from that it may repeat. Kept beside the atom on this machine, and
   * no part of it. @default it repeats none
   */
  readonly outside?: string | undefined;
}

/** The value of `sion_memory_remember`. */
export type Remembered = {
  readonly id: string;
  readonly log: ObjectId;
  /** Its place in the log, from 0. */
  readonly seq: number;
  /** Atoms in the file here. */
  readonly size: number;
  readonly uncommitted: number;
};

/** A commit of what was remembered. */
export interface MemoryCommit extends OwnMemory, SignOptions {
  /** Close the log for good. @default false */
  readonly seal?: boolean;
}

/** A box in a frame during an interval; the upper ends are not in it. */
export interface MemoryBox {
  readonly frame: string;
  /** x, y and z in millimetres. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Seconds since the Unix epoch. */
  readonly from_s: number;
  readonly until_s: number;
}

/** What the ledger holds of a log. */
export interface CommittedMemory {
  readonly owner: AccountId;
  readonly agent: ObjectId | null;
  readonly size: number;
  readonly root: string;
  /** Commits so far. */
  readonly head: number;
  /** The Pulse of the last one, or of the opening. */
  readonly committed: number;
  readonly sealed: number | null;
}

/** The value of `sion_memory_recall`. */
export type RecalledMemory = {
  readonly as_of: { readonly index: string; readonly pulse: number; readonly size: number };
  readonly atoms: readonly {
    readonly confidence_permille: number;
    readonly id: string;
    readonly kind: string;
    readonly seq: number;
    readonly statement: string;
    readonly valid_from_s: number | bigint;
    /** null: it has no end that is known. */
    readonly valid_until_s: number | bigint | null;
  }[];
  readonly log: ObjectId;
  readonly proof_bytes: number;
  readonly verified: string;
};

/** A recall with the proof that others can check. */
export type Recalled = {
  readonly value: RecalledMemory;
  readonly proof: Uint8Array;
  /** Where content from outside came from that the atoms may repeat, as it was remembered here. */
  readonly outside: readonly string[];
};

/** A log that this machine has a file of. */
export type KeptMemory = {
  /** Atoms that the ledger was seen to have. */
  readonly committed: number;
  readonly log: ObjectId;
  readonly sealed: boolean;
  readonly size: number;
  readonly uncommitted: number;
  readonly wallet: string | null;
};

/** The memory logs of this machine's wallets. */
export interface MemoryCalls {
  /** The log is the first of what the outcome made. */
  open(memory: NewMemory): Promise<Outcome>;
  /**
   * Durable when it returns; asks the node only about a log that was not opened here.
   * @throws {SionError} `memory-sealed`, `argument`, `not-found`
   */
  remember(atom: NewAtom): Promise<Remembered>;
  /** @throws {SionError} `memory-sealed`, `memory-elsewhere`, `not-proven`, `argument` */
  commit(commit: MemoryCommit): Promise<Outcome>;
  /**
   * Everything that the log had recorded in a box, as of the ledger's head. With a pinned chain the head
   * is proven as a light client does.
   * @throws {SionError} `memory-elsewhere`, `not-proven`, `argument`
   */
  recall(asked: MemoryBox & { readonly log: string }, options?: Abortable): Promise<Recalled>;
  /**
   * Checks another machine's recall, by the ledger's head alone, which is proven as a light client does.
   * @throws {SionError} `not-proven`, `not-certified`, `other-chain`
   */
  verify(
    given: MemoryBox & { readonly log: string; readonly proof: Uint8Array },
    options?: Abortable & { readonly chain?: string },
  ): Promise<RecalledMemory>;
  /** Asks no node. */
  list(): Promise<readonly KeptMemory[]>;
}
