/** What a validator is put together from, as its answers to clients see it. */
import type { Logger } from "#internal/core/mod.ts";
import type { Answer, Validator } from "#internal/consensus/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import type { Genesis, GenesisFacts } from "#internal/proofs/mod.ts";
import type { ExecutedCounts, NodeState } from "#internal/store/mod.ts";
import type { Intake } from "./intake.ts";
import type { Journal } from "./journal.ts";
import type { HandedIn } from "./relay.ts";

/** The parts of one validator. */
export interface ValidatorParts {
  readonly logger: Logger;
  readonly genesis: Genesis;
  readonly facts: GenesisFacts;
  readonly ledger: Ledger;
  readonly backend: DualBackend;
  readonly machine: Validator;
  readonly store: NodeState;
  readonly journal: Journal;
  readonly intake: Intake;
  /** The id of the own key; the chain's where there is none. */
  readonly keyId: string;
  executed(): ExecutedCounts;
  /** The newest Pulse whose World Proof was checked here by both stacks; 0 before the first. */
  proven(): number;
  /** The state after a Pulse: of the newest certified one and those after it. */
  stateAt(number: number): LedgerState | undefined;
  /**
   * Hands in a verified unit: here, or at other validators where this node only follows.
   * @throws {RpcError} `busy` when no validator answers
   */
  handIn(given: HandedIn): Promise<Answer>;
  /** The index whose operator a devnet's faucet signs for; undefined: ask another node. */
  operator(): number | undefined;
}
