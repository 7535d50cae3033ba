/** What a client tells of a ledger to somebody who only looks. */
import type { Digest, JsonValue } from "#internal/core/mod.ts";
import type { Claim, Receipt, TrustReader } from "#internal/ledger/mod.ts";

/** Stake in whole USD: a quorum's (rounded up), and that which signed. */
export type ProvenStake = { readonly quorum: number | bigint; readonly signed: number | bigint };

/** What is behind a node's word. */
export type Proof =
  /** A certificate of the pinned chain, or of the one that the node says is it. */
  | {
    readonly kind: "proven";
    /** The Pulse whose certificate it is. */
    readonly pulse: number;
    readonly certificate: ProvenStake;
    /** Whether the identity was given from outside. */
    readonly pinned: boolean;
  }
  /** The Pulse that it takes is not certified yet; `certified` is the newest that is. */
  | { readonly kind: "waits"; readonly certified: number }
  /** The node's own proofs do not bear it out. */
  | { readonly kind: "refuted"; readonly reason: string };

/** A transaction as it stands. */
export type TransactionReading =
  | {
    /** `final`: it will execute. `expired`: it never will. */
    readonly state: "unknown" | "pending" | "final" | "expired";
    readonly digest: Digest;
    /** The newest executed Pulse. */
    readonly pulse: number;
  }
  | {
    readonly state: "executed";
    readonly digest: Digest;
    /** The newest executed Pulse. */
    readonly pulse: number;
    /** The proven receipt where there is one, else the one that the node tells. */
    readonly receipt: Receipt;
    /** `Done: paid 1.5 USD to bob; fee 0.0011 USD.` */
    readonly outcome: string;
    readonly proof: Proof;
    /** The unit it is in, if the node keeps it and its digest is that of the receipt. */
    readonly unit?: {
      /** `Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 238.` */
      readonly intent: string;
      /** Transactions in it. */
      readonly members: number;
      /** Body of this one. */
      readonly body: unknown;
      /** The signed unit as hex. */
      readonly hex: string;
    };
  };

/** An object under the newest certified Pulse: as the state holds it, or that it holds none. */
export interface ObjectReading {
  readonly proof: Proof;
  /** Missing where nothing is held, or nothing is proven. */
  readonly object?: {
    readonly kind: string;
    readonly members: { readonly [member: string]: JsonValue };
  };
}

/** A claim with all that it rests on, of one state. Each is what its id says. */
export interface ReadClaim {
  readonly id: string;
  readonly claim: Claim;
  readonly reader: TrustReader;
  /** The Pulse of the state. */
  readonly pulse: bigint;
}
