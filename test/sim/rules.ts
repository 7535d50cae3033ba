/** What a run may replace in the product, to show that the simulator finds it out. */
import type { AnyStatementKind, Reach } from "#internal/consensus/mod.ts";
import { REACH } from "#internal/consensus/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";

/** The rules of a run. The product's own are {@link PRODUCT}. */
export interface Rules {
  readonly name: string;
  /** The statement kinds of honest validators, made of the product's. */
  readonly kinds?: (product: readonly AnyStatementKind[]) => readonly AnyStatementKind[];
  /** Which statement of a quorum makes a client believe that its unit will execute. */
  readonly finalBy: "confirm" | "vote";
  /** Whether a client and the rules look at the rounds of statements. */
  readonly bounded: boolean;
  /** The committee as honest validators see it. */
  readonly committee?: (real: Committee) => Committee;
  /** What is sent does not wait for the disk. */
  readonly hasty: boolean;
  /** Whether who leaves a session gives the others the certificate that it leaves by. */
  readonly handsOver: boolean;
  /** How far back honest validators look. */
  readonly reach: Reach;
}

/** The product as it is. */
export const PRODUCT: Rules = {
  name: "product",
  finalBy: "confirm",
  bounded: true,
  hasty: false,
  handsOver: true,
  reach: REACH,
};
