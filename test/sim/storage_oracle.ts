/**
 * The storage deals of a run: counted round by round from what was seen, their money is where the rules
 * say, no proof counted that does not show what its beacon drew, and beacons are those of their Pulses.
 */
import type { PulseEffect } from "#internal/consensus/mod.ts";
import { encode, id, idBytes, struct, toHex, u64, u8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Action, DealPhase, StorageDeal } from "#internal/ledger/mod.ts";
import { beaconSlot } from "#internal/ledger/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";
import type { KeptBeacon } from "../../internal/ledger/objects/beacon.ts";
import type { KnownState } from "./memory_oracle.ts";
import type { SignedKnown } from "./spawn_oracle.ts";
import { dealsOf } from "./storage_life.ts";
import { Violation } from "./violation.ts";

type Proof = Extract<Action, { kind: "storage_prove" }>["body"];

/** What is looked at of a Pulse. */
export type StoragePulse = Pick<PulseEffect, "number" | "receipts"> & {
  readonly state: KnownState;
  readonly header: { readonly beacon: Uint8Array };
};

const drawCodec = struct({ beacon: id, deal: id, round: u64, index: u8 });

/** Looks at every deal, and at every proof that counted, after every Pulse. */
export class StorageOracle {
  readonly #known = new Map<string, StorageDeal>();
  /** Rounds of each deal whose proofs counted, from 1. */
  readonly #proven = new Map<string, Set<bigint>>();
  /** Of each Pulse, as its header has it: 64 hex digits. */
  readonly #beacons = new Map<bigint, string>();
  /** Rounds that were proven. */
  proven = 0;
  /** Deals that were closed. */
  closed = 0;

  /** @throws {Violation} `storage` when a deal, a proof or a beacon is not what it has to be. */
  pulse(
    { number, header, receipts, state }: StoragePulse,
    unitOf: (digest: string) => SignedKnown | undefined,
  ): void {
    const pulse = BigInt(number);
    this.#beacons.set(pulse, toHex(header.beacon));
    this.#checkBeacon(pulse, state);
    for (const receipt of receipts) {
      if (receipt.kind !== "storage_prove" || receipt.outcome.kind !== "success") continue;
      const body = unitOf(receipt.unit)?.signed?.unit.members[receipt.index]?.body;
      if (body !== undefined) this.#checkProof(pulse, receipt.account, body as Proof);
    }
    for (const [deal, value] of dealsOf(state)) {
      const fault = this.#faultOf(pulse, deal, value);
      if (fault !== undefined) throw broken(deal, pulse, fault);
      this.#known.set(deal, value);
    }
  }

  #checkBeacon(pulse: bigint, state: KnownState): void {
    const last = pulse - pulse % 8n;
    const seen = this.#beacons.get(last);
    if (last === 0n || seen === undefined) return;
    const kept = state.at(beaconSlot(last))?.value as KeptBeacon | undefined;
    if (kept?.pulse === last && kept.beacon === seen) return;
    throw new Violation("storage", `Pulse ${pulse} keeps another beacon of Pulse ${last}`);
  }

  #checkProof(pulse: bigint, by: string, { deal, round, leaves }: Proof): void {
    const value = this.#known.get(deal);
    if (value?.phase.kind !== "active" || value.provider !== by) {
      throw broken(deal, pulse, "was proven by who does not keep it");
    }
    const first = value.phase.body.start + (round - 1n) * value.length;
    if (pulse <= first || pulse >= first + value.length || round > value.rounds) {
      throw broken(deal, pulse, `was proven out of round ${round}`);
    }
    const beacon = this.#beacons.get(first) ?? "";
    const places = drawnBy(beacon, deal, round, value);
    const total = (value.size + 1023n) / 1024n;
    const shown = places.every((place, at) => {
      const { data, path } = leaves[at] ?? { data: new Uint8Array(), path: [] };
      return verifyLogInclusion(idBytes(value.root), total, place, data, path.map(idBytes));
    });
    if (!shown || leaves.length !== places.length) {
      throw broken(deal, pulse, `was proven in round ${round} by other leaves`);
    }
    const rounds = this.#proven.get(deal) ?? new Set();
    if (rounds.has(round)) throw broken(deal, pulse, `was proven twice in round ${round}`);
    this.#proven.set(deal, rounds.add(round));
    this.proven++;
  }

  #faultOf(pulse: bigint, deal: string, value: StorageDeal): string | undefined {
    const before = this.#known.get(deal);
    if (before === undefined) {
      return value.posted === pulse && value.phase.kind === "open"
        ? undefined
        : "was not open when it was posted";
    }
    const { provider, phase, ...terms } = value;
    const { provider: meant, phase: was, ...old } = before;
    if (Object.entries(terms).some(([name, term]) => old[name as keyof typeof old] !== term)) {
      return "has other terms";
    }
    if (was.kind === "closed") {
      return isSame(phase, was) && provider === meant ? undefined : "changed after it was closed";
    }
    if (meant !== null && provider !== meant) return "changed hands";
    switch (phase.kind) {
      case "open":
        return was.kind === "open" && provider === meant ? undefined : "was opened again";
      case "active":
        return this.#faultOfActive(pulse, deal, value, was);
      case "closed": {
        this.closed++;
        return this.#faultOfClosed(pulse, deal, value, was);
      }
    }
  }

  #faultOfActive(
    pulse: bigint,
    deal: string,
    { phase, provider }: StorageDeal,
    was: DealPhase,
  ): string | undefined {
    if (phase.kind !== "active") return undefined;
    const { start, proven, last } = phase.body;
    if (was.kind === "open") {
      const isNext = start > pulse && start <= pulse + 8n && start % 8n === 0n;
      return isNext && provider !== null ? undefined : "begins at another Pulse";
    }
    const rounds = [...this.#proven.get(deal) ?? []];
    const latest = rounds.reduce((most, round) => round > most ? round : most, 0n);
    const isRight = was.kind === "active" && was.body.start === start &&
      proven === BigInt(rounds.length) && last === latest;
    return isRight ? undefined : "counts other proofs than there were";
  }

  /** Counts again, round by round. */
  #faultOfClosed(
    pulse: bigint,
    deal: string,
    { phase, rounds, length, price, collateral }: StorageDeal,
    was: DealPhase,
  ): string | undefined {
    if (phase.kind !== "closed") return undefined;
    let [finished, missed, inARow] = [0n, 0n, 0n];
    const isProven = this.#proven.get(deal) ?? new Set();
    if (was.kind === "active") {
      while (finished < rounds && pulse >= was.body.start + (finished + 1n) * length) {
        finished++;
        const proven = isProven.has(finished);
        inARow = proven ? 0n : inARow + 1n;
        if (!proven) missed++;
      }
      const isAbandoned = inARow >= 3n && !isProven.has(finished + 1n);
      if (finished < rounds && !isAbandoned) return "was closed before its end";
      const share = (collateral * missed + rounds - 1n) / rounds;
      const forfeited = isAbandoned ? collateral : share;
      const paid = price * BigInt(isProven.size);
      const { body } = phase;
      const isRight = body.at === pulse && body.missed === missed && body.paid === paid &&
        body.refund === price * rounds - paid && body.forfeited === forfeited &&
        body.returned === collateral - forfeited;
      return isRight ? undefined : "pays other sums than are owed";
    }
    const { refund, paid, returned, forfeited } = phase.body;
    const isRefund = refund === price * rounds && paid + returned + forfeited === 0n;
    return isRefund ? undefined : "pays other sums than it had";
  }
}

/** The places that a round draws, by the text of the protocol alone. */
function drawnBy(
  beacon: string,
  deal: string,
  round: bigint,
  { size, challenges }: StorageDeal,
): readonly bigint[] {
  const places = Array.from({ length: challenges }, (_, index) => {
    const hash = taggedHash(
      "sion/challenge/v1",
      encode(drawCodec, { beacon, deal, round, index }),
    );
    const number = hash.subarray(0, 16).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return number % ((size + 1023n) / 1024n);
  });
  return [...new Set(places)].sort((a, b) => a < b ? -1 : 1);
}

function isSame(a: DealPhase, b: DealPhase): boolean {
  const [one, other] = [Object.entries(a.body), new Map(Object.entries(b.body))];
  return a.kind === b.kind && one.every(([name, value]) => other.get(name) === value);
}

function broken(deal: string, pulse: bigint, why: string): Violation {
  return new Violation("storage", `deal ${deal.slice(0, 8)} in Pulse ${pulse} ${why}`);
}
