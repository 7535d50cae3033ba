/** Lane locks of everything that a network of validators executes: votes, voids, forced, left over. */
import { describe, expect, it } from "vitest";
import { decode, fromHex } from "#internal/core/mod.ts";
import type { AnyStatementKind } from "#internal/consensus/mod.ts";
import { createBlockCodec, REACH, statementKinds } from "#internal/consensus/mod.ts";
import { committeeOf, configOf, orderedOf, pulseDataCodec } from "#internal/proofs/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { decodeKeptLocks, encodeKeptLocks, makeLocksPage } from "../../internal/node/proofs.ts";
import type { Lockable, LocksPage } from "../../internal/proofs/light/lane_locks.ts";
import { locksFault, locksPageCodec } from "../../internal/proofs/light/lane_locks.ts";
import { Net } from "../consensus/_net.ts";
import { NAMED } from "../ledger/_world.ts";

/** What was executed with its locks as a node serves them, of each Pulse that has some. */
function pagesOf(net: Net): { number: number; page: LocksPage; executed: Lockable[] }[] {
  const blocks = [...net.peer(0).store.blocks()];
  const store = {
    blocksOfRounds: (from: number, to: number) =>
      blocks.filter(({ round }) => round >= from && round <= to),
  } as unknown as NodeState;
  const codec = createBlockCodec(net.ledger, statementKinds);
  return net.effects.filter(({ locks }) => locks.length > 0).map((effect) => {
    const ordered = orderedOf(decode(pulseDataCodec, effect.data)) ?? [];
    const executed = ordered.map((entry): Lockable => {
      if (entry.type === "void") return { type: "void", slots: [entry] };
      const { unit } = net.ledger.decodeSigned(entry.bytes);
      const digest = net.ledger.unitDigest(unit);
      return { type: "unit", unit, digest, slots: net.ledger.slots(unit), forced: entry.forced };
    });
    const things = executed.map((what) => {
      const [slot] = what.slots;
      return what.type === "unit" && !what.forced ? { unit: what.digest } : slot as never;
    });
    const locks = decodeKeptLocks(encodeKeptLocks(effect.locks));
    const request = { session: effect.header.session, locks, things };
    const page = decode(locksPageCodec, makeLocksPage(request, store, codec));
    return { number: effect.number, page, executed };
  });
}

/** Judges all pages as a light client that knows every session does. */
async function faultsOf(net: Net): Promise<(string | undefined)[]> {
  const committee = committeeOf(net.genesis.validators);
  const members = net.genesis.validators.map(({ publicKey, stake, operator }) => {
    return { key: publicKey, stake, operator };
  });
  const sessionOf = (session: number) => {
    const at = { session, epoch: BigInt(session) };
    return { config: configOf(net.genesis, members, at), committee, after: 0 };
  };
  return await Promise.all(
    pagesOf(net).map(({ number, page, executed }) => {
      const { header } = net.effects[number - 1] as Net["effects"][number];
      const { backend } = net.certificateContext();
      return locksFault(page, executed, {
        header,
        sessionOf,
        chain: fromHex(net.chain),
        backend,
      });
    }),
  );
}

describe("makeLocksPage()", () => {
  it("shows the votes of all that executed, also of what a full Pulse left to a next session [L-252 L-274]", async () => {
    const net = new Net({
      reach: { ...REACH, pulseBytes: 600 },
      parameters: { epochPulses: 4n },
      delayMs: [1, 30],
    });
    const units: string[] = [];
    for (let k = 0; k < 24; k++) {
      units.push(net.submit(0, net.payment(NAMED[k % 4] ?? "", "bob", 1n, { count: 2 })));
      net.run(k % 6 === 5 ? 900 : 20);
    }
    expect(net.run(120_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
    const faults = await faultsOf(net);
    expect(faults.length).toBeGreaterThan(5);
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    const sessions = pagesOf(net).map(({ number, page }) =>
      (net.effects[number - 1]?.header.session ?? 0) - (page.blocks[0]?.header.session ?? 0)
    );
    expect(sessions).toContain(0);
    expect(sessions).toContain(1);
  });

  it("shows the Stops of a slot that was settled, each with what it names", async () => {
    const net = new Net({ delayMs: [5, 5] });
    for (const [i, amount] of [[0, 1n], [1, 2n], [2, 3n], [3, 4n]] as const) {
      net.submit(i, net.payment("alice", "bob", amount, { sequence: 0n }));
    }
    const isVoid = (): boolean => net.all.some(({ outcome }) => outcome.kind === "void");
    expect(net.run(60_000, isVoid)).toBe(true);
    const [settled] = pagesOf(net);
    expect(settled?.page.locks[0]?.kind).toBe("stops");
    expect(await faultsOf(net)).toEqual([undefined]);
  });

  it("shows the Stops of a forced unit that half of the validators censored [L-599]", async () => {
    const victim = { unit: "" };
    const censors = statementKinds.map((kind): AnyStatementKind =>
      kind.name !== "vote" ? kind : {
        ...kind,
        propose: (place, view) => {
          const bodies = (kind.propose?.(place, view) ?? []) as { unit: string }[];
          return bodies.filter(({ unit }) => unit !== victim.unit);
        },
      } as AnyStatementKind
    );
    const net = new Net({ delayMs: [5, 5], statementsOf: (i) => (i < 2 ? undefined : censors) });
    net.run(2500);
    const signed = net.payment("alice", "bob", 1n, { validUntil: 60n });
    victim.unit = net.ledger.unitDigest(signed.unit);
    for (const i of [0, 1]) net.submit(i, signed, { forced: true });
    expect(net.run(60_000, () => net.receipts.has(victim.unit))).toBe(true);
    expect(pagesOf(net)[0]?.executed[0]).toMatchObject({ type: "unit", forced: true });
    expect(await faultsOf(net)).toEqual([undefined]);
  });
});
