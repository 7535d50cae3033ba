/**
 * What executing a payment costs among many accounts beside among few: the ledger's own execution of
 * whole Pulses, roots of state and receipts included, without signatures, network and store.
 */
import { randomBytes } from "node:crypto";
import process from "node:process";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState, SignedUnit } from "#internal/ledger/mod.ts";
import { createLedger, genesisState, MAX_MEMBERS, NO_SALT } from "#internal/ledger/mod.ts";
import { percentile } from "./_bench.ts";
import { accountOfKey, unitOfPayments } from "./_wallets.ts";

/** Accounts that pay, each a unit of the most members in every Pulse. */
const PAYERS = 8;
/** Micro-USD that everybody starts with. */
const FUNDED = 1_000_000_000n;
const SHARDS = 2;

/** CPU time of one payment, ms: the middle of the turns. */
export type AccountsCost = { readonly few_ms: number; readonly many_ms: number };

/** How many accounts there are, and how often Pulses are executed on each side in turn. */
export type AccountsSizes = {
  readonly few: number;
  readonly many: number;
  readonly turns: number;
  readonly pulsesPerTurn: number;
};

/** Executes the same payments among few and among many accounts, in turns; the first does not count. */
export function accountsCost({ few, many, turns, pulsesPerTurn }: AccountsSizes): AccountsCost {
  const ledger = createLedger();
  const sides = [new Side(ledger, few), new Side(ledger, many)] as const;
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const side of sides) side.turn(pulsesPerTurn, turn > 0);
  }
  return { few_ms: sides[0].costMs(), many_ms: sides[1].costMs() };
}

class Side {
  readonly #ledger: Ledger;
  readonly #accounts: readonly string[];
  readonly #payers: readonly ReturnType<typeof accountOfKey>[];
  #state: LedgerState;
  #pulse = 0;
  #paid = 0;
  readonly #costs: number[] = [];

  constructor(ledger: Ledger, accounts: number) {
    this.#ledger = ledger;
    this.#payers = Array.from({ length: PAYERS }, () => accountOfKey(randomBytes(1344)));
    this.#accounts = [
      ...this.#payers.map(({ account }) => account),
      ...Array.from(
        { length: accounts - PAYERS },
        (_, at) => toHex(sha256(utf8(`account ${at}`))),
      ),
    ];
    this.#state = genesisState(ledger, {
      shards: SHARDS,
      accounts: this.#accounts.map((account) => [account, FUNDED]),
    });
  }

  /** Executes so many Pulses of payments to accounts all over the state. */
  turn(pulses: number, counts: boolean): void {
    const units = Array.from({ length: pulses }, () => this.#payers.map((_, at) => this.#unit(at)));
    const start = process.cpuUsage();
    for (const ordered of units) this.#execute(ordered);
    const { user, system } = process.cpuUsage(start);
    const payments = pulses * PAYERS * MAX_MEMBERS;
    if (counts) this.#costs.push((user + system) / 1000 / payments);
  }

  costMs(): number {
    return percentile(this.#costs, 0.5);
  }

  #sequence = 0n;

  #unit(payer: number): SignedUnit {
    const { account, policy } = this.#payers[payer] as ReturnType<typeof accountOfKey>;
    const payees = Array.from({ length: MAX_MEMBERS }, () => {
      // A step that has no factor with the number of accounts comes by all of them.
      this.#paid += 7919;
      return this.#accounts[this.#paid % this.#accounts.length] as string;
    });
    const sequence = this.#sequence;
    if (payer === PAYERS - 1) this.#sequence += BigInt(MAX_MEMBERS);
    const unit = unitOfPayments(this.#ledger, { account, policy }, {
      chain: "00".repeat(32),
      validUntil: 10_000n,
      sequence,
      payees,
      amount: 1n,
    });
    const salts = payees.map(() => NO_SALT);
    return { unit, authorization: { policy, salts, signatures: [] } };
  }

  #execute(units: readonly SignedUnit[]): void {
    this.#pulse += 1;
    const { state, receipts } = this.#ledger.execute(this.#state, {
      pulse: BigInt(this.#pulse),
      timeMs: BigInt(this.#pulse) * 1000n,
      beacon: new Uint8Array(32),
      ordered: units.map((signed) => ({ type: "unit", signed, forced: false })),
    });
    const failed = receipts.find(({ outcome }) => outcome.kind !== "success");
    if (failed !== undefined) {
      throw new Error(`a payment failed: ${JSON.stringify(failed.outcome)}`);
    }
    this.#state = state;
  }
}
