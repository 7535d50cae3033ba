import { describe, expect, test } from "vitest";
import type { Receipt } from "#internal/ledger/mod.ts";
import { memoryLogKind } from "#internal/ledger/mod.ts";
import { EMPTY_MEMORY_HEAD, MAX_LOG_ATOMS } from "#internal/memory/mod.ts";
import { atomOf } from "../../memory/_atoms.ts";
import { helperOf, resume, revoke, robotOf, suspend } from "../_agents.ts";
import type { Commit } from "../_memory.ts";
import { commit, growing, openLog, SOME_ATOMS } from "../_memory.ts";
import { accountOf, names, reasonOf, World } from "../_world.ts";

const NOBODY = "11".repeat(32);

function failure(receipt: Receipt): string | undefined {
  expect(receipt.events).toEqual([]);
  expect(receipt.fee).toBe(1100n);
  return reasonOf(receipt);
}

/** A log of alice's with three atoms. */
function logOfAlice(world: World) {
  const log = world.make("alice", openLog());
  const grow = growing(log, SOME_ATOMS);
  world.make("alice", commit(grow(0, 3)));
  return { log, grow };
}

/** A log of alice's robot with three atoms. */
function logOfRobot(world: World) {
  const { agent } = robotOf(world);
  const log = world.make("robot", openLog(agent));
  const grow = growing(log, SOME_ATOMS, agent);
  world.make("robot", commit(grow(0, 3)));
  return { agent, log, grow };
}

describe("memory_open", () => {
  test("memory_open makes a log without atoms, for 100 micro-USD more [L-088 L-405 L-414]", () => {
    const world = new World();
    const receipt = world.do("alice", openLog());
    const [log = ""] = receipt.made;
    expect(receipt.fee).toBe(1200n);
    expect(world.sentence(openLog())).toBe(
      `Done: memory log ${log.slice(0, 8)} opened; fee 0.0012 USD.`,
    );
    expect(receipt.events).toEqual([
      { MemoryLogOpened: { agent: null, log, owner: accountOf("alice") } },
    ]);
    expect(world.read(memoryLogKind, log)).toEqual({
      owner: accountOf("alice"),
      agent: null,
      ...EMPTY_MEMORY_HEAD,
      head: 0n,
      opened: 1n,
      committed: 1n,
      sealed: null,
    });
  });

  test("memory_open with an agent makes a log of that agent's, by its own wallet [L-408 L-409]", () => {
    const world = new World();
    const { agent } = robotOf(world);
    expect(failure(world.do("alice", openLog(agent)))).toBe(
      `unauthorized: the account is not that of agent ${agent.slice(0, 8)}`,
    );
    const log = world.make("robot", openLog(agent));
    expect(world.read(memoryLogKind, log)).toMatchObject({ owner: accountOf("robot"), agent });
    const told = world.last?.receipts[0]?.events[0];
    expect(world.ledger.event(told, names)).toBe(
      `memory log ${log.slice(0, 8)} opened by agent ${agent.slice(0, 8)}`,
    );
    world.make("alice", suspend(agent));
    expect(failure(world.do("robot", openLog(agent)))).toBe(
      `unauthorized: agent ${agent.slice(0, 8)} is not in good standing: agent suspended`,
    );
    expect(world.do("robot", openLog()).outcome.kind).toBe("success");
  });
});

describe("memory_commit", () => {
  test("memory_commit moves the head along a proof [L-089 L-407 L-436 L-437 L-442 L-443]", () => {
    const world = new World();
    const log = world.make("alice", openLog());
    const grow = growing(log, SOME_ATOMS);
    const first = commit(grow(0, 2));
    const receipt = world.do("alice", first);
    expect(world.sentence(first)).toBe(
      `Done: memory log ${log.slice(0, 8)} now holds 2 atoms (head 1); fee 0.0011 USD.`,
    );
    const { root } = grow(0, 2).to;
    expect(receipt.events).toEqual([
      { MemoryLogCommitted: { added: 2n, head: 1n, log, root, sealed: false, size: 2n } },
    ]);
    expect(world.read(memoryLogKind, log)).toMatchObject({
      ...grow(0, 2).to,
      head: 1n,
      opened: 1n,
      committed: world.pulse,
    });
    for (const [from, to] of [[2, 3], [3, 4], [4, 11], [11, 12]] as const) {
      world.make("alice", commit(grow(from, to)));
    }
    expect(world.read(memoryLogKind, log)).toMatchObject({ ...grow(0, 12).to, head: 5n });
  });

  test("memory_commit says how many atoms there are, one too, and what it seals [L-439 L-442]", () => {
    const world = new World();
    const log = world.make("alice", openLog());
    const grow = growing(log, SOME_ATOMS);
    const said = (body: Commit): string => {
      const unit = world.unit("alice", [commit(body)]);
      const [intent = ""] = world.ledger.intent(unit, names).split(". Fee");
      world.make("alice", commit(body));
      const told = world.ledger.event(world.last?.receipts[0]?.events[0], names);
      const done = world.sentence(commit(body));
      expect(done).toBe(`Done: ${told}; fee 0.0011 USD.`);
      return `${intent}: ${told}`.replaceAll(log.slice(0, 8), "L");
    };
    const root = (size: number) => grow(0, size).to.root.slice(0, 8);
    expect([said(grow(0, 1)), said(grow(1, 5, true))]).toEqual([
      `Move memory log L from 0 atoms to 1 (root ${
        root(1)
      }): memory log L now holds 1 atom (head 1)`,
      `Move memory log L from 1 atom to 5 (root ${root(5)}), and seal it for good: ` +
      "memory log L now holds 5 atoms (head 2) and is sealed",
    ]);
    const other = world.make("alice", openLog());
    const empty = growing(other, []);
    expect(said(empty(0, 0, true)).replaceAll(other.slice(0, 8), "O")).toBe(
      "Seal memory log O for good, as it is: memory log O now holds 0 atoms (head 1) and is sealed",
    );
  });

  test("memory_commit after the log was sealed fails, another sealing too [L-444]", () => {
    const world = new World();
    const { log, grow } = logOfAlice(world);
    world.make("alice", commit(grow(3, 3, true)));
    expect(world.read(memoryLogKind, log)).toMatchObject({ sealed: world.pulse, head: 2n });
    for (const body of [grow(3, 5), grow(3, 3, true)]) {
      expect(failure(world.do("alice", commit(body)))).toBe(
        "invalid transaction: the memory log is sealed",
      );
    }
  });

  test("memory_commit by anybody but the owner fails, and says the same of a log that is none [L-407]", () => {
    const world = new World();
    const { log, grow } = logOfAlice(world);
    const missing = `invalid transaction: the account has no memory log ${log.slice(0, 8)}`;
    expect(failure(world.do("bob", commit(grow(3, 4))))).toBe(missing);
    const elsewhere = growing(NOBODY, SOME_ATOMS)(3, 4);
    expect(failure(world.do("bob", commit(elsewhere)))).toBe(missing.replace(/\w+$/, "11111111"));
    const { agent } = robotOf(world);
    const account = growing(agent, SOME_ATOMS)(3, 4);
    expect(failure(world.do("alice", commit(account)))).toMatch(/the account has no memory log/);
  });

  test("memory_commit to an agent's log is the agent's, in good standing [L-408 L-410 L-584]", () => {
    const world = new World();
    const { agent, log, grow } = logOfRobot(world);
    const a = agent.slice(0, 8);
    const by = (name: string, body: Commit) => failure(world.do(name, commit(body)));
    expect(by("alice", grow(3, 4))).toBe(`unauthorized: the account is not that of agent ${a}`);
    expect(by("robot", { ...grow(3, 4), agent: null })).toBe(
      `invalid transaction: the account has no memory log ${log.slice(0, 8)}`,
    );
    const own = world.make("robot", openLog());
    expect(by("robot", growing(own, SOME_ATOMS, agent)(0, 1))).toBe(
      `invalid transaction: agent ${a} has no memory log ${own.slice(0, 8)}`,
    );
    world.make("alice", suspend(agent));
    expect(by("robot", grow(3, 4))).toBe(
      `unauthorized: agent ${a} is not in good standing: agent suspended`,
    );
    world.make("alice", resume(agent));
    world.make("robot", commit(grow(3, 4)));
    world.make("alice", revoke(agent));
    expect(by("robot", grow(4, 4, true))).toBe(
      `unauthorized: agent ${a} is not in good standing: agent revoked`,
    );
  });

  test("memory_commit of an agent is frozen by a suspension above, from its place in the order [L-410]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const log = world.make("helper", openLog(helper.agent));
    const grow = growing(log, SOME_ATOMS, helper.agent);
    const { receipts } = world.execute([
      world.unit("helper", [commit(grow(0, 1))]),
      world.unit("alice", [suspend(robot.agent)]),
      world.unit("helper", [commit(grow(1, 2))], { ahead: 1 }),
    ]);
    expect(receipts.map((one) => reasonOf(one))).toEqual([
      undefined,
      undefined,
      `unauthorized: agent ${helper.agent.slice(0, 8)} is not in good standing: ` +
      "agent suspended above",
    ]);
    expect(world.read(memoryLogKind, log)?.size).toBe(1n);
  });

  test("memory_commit from another head or with another log's proof fails [L-407]", () => {
    const world = new World();
    const { log, grow } = logOfAlice(world);
    const by = (body: Commit) => failure(world.do("alice", commit(body)));
    const other = growing(log, [...SOME_ATOMS.slice(0, 2), atomOf(), ...SOME_ATOMS.slice(3)]);
    const heads = "invalid transaction: the memory log has another head";
    expect(by(grow(2, 4))).toBe(heads);
    expect(by(grow(4, 6))).toBe(heads);
    expect(by(other(3, 4))).toBe(heads);
    const proofs = "invalid transaction: the proof does not show that the memory log grew";
    expect(by({ ...grow(3, 6), proof: other(3, 6).proof })).toBe(proofs);
    expect(by({ ...grow(3, 6), to: other(3, 6).to })).toBe(proofs);
    expect(by({ ...grow(3, 6), to: { ...grow(3, 6).to, size: 5n }, proof: grow(3, 5).proof }))
      .toBe(proofs);
    expect(by({ ...grow(3, 6), proof: grow(3, 6).proof.map((node) => ({ ...node, bounds: [] })) }))
      .toBe(proofs);
    world.make("alice", commit(grow(3, 6)));
  });

  test("memory_commit that no state could accept is refused before it costs anything", () => {
    const world = new World();
    const { grow } = logOfAlice(world);
    const [node] = grow(3, 5).proof;
    if (node === undefined) throw new Error();
    const box = { frame: "w", min: [0n, 0n, 0n, 0n], max: [1n, 1n, 1n, 0n] } as const;
    const refused: [Commit, RegExp][] = [
      [grow(3, 3), /must add atoms/],
      [{ ...grow(3, 5), from: grow(3, 7).to }, /must add atoms/],
      [{ ...grow(3, 3, true), to: { ...grow(3, 3).to, root: NOBODY } }, /must add atoms/],
      [{ ...grow(3, 5), proof: [] }, /has 0 nodes where 4 are needed/],
      [{ ...grow(3, 5), proof: [...grow(3, 5).proof, node] }, /has 5 nodes where 4/],
      [{ ...grow(0, 5), proof: [node] }, /has 1 nodes where 0/],
      [
        { ...grow(3, 5), to: { size: BigInt(MAX_LOG_ATOMS) + 1n, root: NOBODY } },
        /at most 2\^40 atoms/,
      ],
      [
        { ...grow(3, 5), proof: grow(3, 5).proof.map((one) => ({ ...one, bounds: [box] })) },
        /no bounds: a box is empty/,
      ],
    ];
    for (const [body, why] of refused) {
      const votable = world.ledger.checkForVote(world.state, world.unit("alice", [commit(body)]), {
        chain: world.unit("alice", []).unit.chain,
        head: world.pulse,
        reservedOf: () => 0n,
      });
      expect(votable).toMatchObject({
        ok: false,
        code: "shape",
        reason: expect.stringMatching(why),
      });
    }
  });

  test("memory_commit of an account hangs on its own lane alone [L-405 L-407]", () => {
    const world = new World();
    const opened = world.unit("alice", [openLog()]);
    const [log = ""] = world.ledger.execute(world.state, {
      pulse: 1n,
      timeMs: 0n,
      beacon: new Uint8Array(32),
      ordered: [{ type: "unit", signed: opened, forced: false }],
    }).receipts[0]?.made ?? [];
    const grow = growing(log, SOME_ATOMS);
    const meddling = world.unit("bob", [commit(grow(0, 4))]);
    const growth = world.unit("alice", [commit(grow(0, 4)), commit(grow(4, 5))], { ahead: 1 });
    const before = world.execute([meddling, opened, growth]);
    expect(before.receipts.map((one) => reasonOf(one))).toEqual([
      `invalid transaction: the account has no memory log ${log.slice(0, 8)}`,
      undefined,
      undefined,
      undefined,
    ]);
    const again = world.execute([
      world.unit("alice", [commit(grow(5, 6)), commit(grow(5, 6))]),
      world.unit("bob", [commit(grow(0, 4))]),
    ]);
    expect(again.receipts.map((one) => reasonOf(one))).toEqual([
      undefined,
      "invalid transaction: the memory log has another head",
      reasonOf(before.receipts[0] as Receipt),
    ]);
  });
});
