/** Validators, pools and delegations of a run, from Pulse to Pulse: what must hold whatever was executed. */
import type { PulseEffect } from "#internal/consensus/mod.ts";
import { toHex } from "#internal/core/mod.ts";
import type { Delegation, LedgerState, Staking, Validator } from "#internal/ledger/mod.ts";
import {
  bondedStake,
  delegationKind,
  stakeOf,
  STAKING,
  validatorKind,
} from "#internal/ledger/mod.ts";
import { Violation } from "./violation.ts";

/** What of a Pulse is looked at. */
export type StakePulse = Pick<PulseEffect, "header" | "nextSession"> & {
  readonly state: Pick<LedgerState, "at" | "entries">;
};

/** Holds the state of each Pulse against that of the one before. */
export class StakeOracle {
  readonly #validators = new Map<string, Validator>();
  /** Delegations that earned by the end. */
  readonly earning = new Set<string>();
  /** Slashings so far. */
  slashed = 0;

  /** @throws {Violation} `stake` when stake is not what it has to be. */
  pulse({ header, nextSession, state }: StakePulse): void {
    const broken = (what: string): Violation =>
      new Violation("stake", `${what} in Pulse ${header.number}`);
    const staking = state.at(STAKING)?.value as Staking | undefined;
    if (staking === undefined) throw broken("there is none");
    if (staking.epoch !== (nextSession?.epoch ?? header.epoch)) {
      throw broken(`the state is in epoch ${staking.epoch}, the chain is not,`);
    }
    const sums = { active: 0, validators: 0, bonded: 0n };
    const shares = new Map<string, bigint>();
    for (const [id, { kind, value }] of state.entries()) {
      if (kind === delegationKind.name) this.#delegation(id, value as Delegation, staking, shares);
      if (kind !== validatorKind.name) continue;
      const validator = value as Validator;
      if (validator.status === "active") sums.active++;
      if (validator.status === "active" || validator.status === "joining") sums.validators++;
      sums.bonded += bondedStake(validator);
    }
    for (const name of ["active", "validators", "bonded"] as const) {
      if (BigInt(sums[name]) !== BigInt(staking[name])) throw broken(`${name} is miscounted`);
    }
    const active = new Set<string>();
    for (const [id, { kind, value }] of state.entries()) {
      if (kind !== validatorKind.name) continue;
      const { status, key } = value as Validator;
      if (status === "active") active.add(toHex(key));
      const fault = this.#fault(id, value as Validator, shares.get(id) ?? 0n);
      if (fault !== undefined) throw broken(`validator ${id.slice(0, 8)} ${fault}`);
    }
    for (const { publicKey } of nextSession?.validators ?? []) {
      if (!active.has(toHex(publicKey)) && active.size > 0) {
        throw broken("a committee has a member that is not active");
      }
    }
  }

  #delegation(
    id: string,
    { validator, shares, epoch, unbonding }: Delegation,
    staking: Staking,
    sums: Map<string, bigint>,
  ): void {
    sums.set(validator, (sums.get(validator) ?? 0n) + shares);
    if (unbonding === null && staking.epoch > epoch) this.earning.add(id);
  }

  /** Each takes a tenth, rounded up, of the own stake; what is delegated may move besides. */
  #faultOfSlashing(before: Validator, { slashed, stake, status }: Validator): string | undefined {
    const times = slashed.length - before.slashed.length;
    if (times === 0) return undefined;
    this.slashed += times;
    let left = before.stake;
    for (let done = 0; done < times; done++) left -= (left + 9n) / 10n;
    if (status !== "left" && stake !== left) return "is slashed by another part than a tenth";
    return status === "active" || status === "joining" ? "is slashed and stays" : undefined;
  }

  #fault(id: string, validator: Validator, delegated: bigint): string | undefined {
    const { pool, slashed } = validator;
    const before = this.#validators.get(id);
    this.#validators.set(id, validator);
    if (pool.shares !== delegated) return "has other shares than its delegations";
    if (pool.pending + pool.earning > pool.shares) return "has more shares at work than there are";
    if (pool.stake > pool.shares) return "has shares of more than they were bought for";
    if (stakeOf(pool, pool.shares) > pool.stake) return "owes more than it has";
    if (pool.earning === 0n && pool.rewards > 0n) return "keeps rewards of nobody";
    if (before === undefined) return undefined;
    if (pool.perShare < before.pool.perShare) return "takes rewards back";
    if (slashed.length < before.slashed.length) return "is slashed less";
    return this.#faultOfSlashing(before, validator);
  }
}
