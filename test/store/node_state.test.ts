import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoredBlock } from "#internal/consensus/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { openNodeState, readNodeStateLabel } from "#internal/store/mod.ts";
import type { NodeState, PulseCommit } from "#internal/store/mod.ts";

const IDENTITY = { store: "a1".repeat(16), chain: "c0".repeat(32), format: 1 };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-node-state-"));
  path = join(folder, "node.sqlite");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function open(): NodeState {
  const state = openNodeState(path, { shown: "~/d", fresh: { identity: IDENTITY, objects: [] } });
  if (state === undefined) throw new Error("no store");
  return state;
}

function idOf(name: string): string {
  return toHex(sha256(utf8(name)));
}

function block(round: number, author: number): StoredBlock {
  return {
    id: idOf(`block ${round} ${author}`),
    round,
    author,
    bytes: utf8(`bytes ${round} ${author}`),
    signature: utf8("signature"),
  };
}

function pulse(number: number, more: Partial<PulseCommit> = {}): PulseCommit {
  return {
    number,
    header: utf8(`header ${number}`),
    contents: utf8(`contents ${number}`),
    executed: { succeeded: number, failed: 0, void: 0 },
    eventCount: 0,
    digests: [],
    objects: [],
    knowledge: [],
    knowledgeSize: 0,
    tail: utf8(`tail ${number}`),
    keepFrom: 4 * number,
    rows: [],
    published: { data: utf8(`data ${number}`), locks: utf8("locks"), state: utf8("state") },
    witness: utf8(`witness ${number}`),
    dropBlocksBelow: 0,
    dropCertificatesBelow: 0,
    dropPublishedBelow: 0,
    ...more,
  };
}

describe("openNodeState()", () => {
  test("openNodeState() keeps what was committed, and what was queued before it", () => {
    {
      using state = open();
      state.addBlocks([block(1, 1), block(1, 2)]);
      state.addCertificate(3, utf8("certificate"));
      state.commitOwn(block(2, 0), [
        { op: "put", table: "locks", key: "a", value: utf8("1") },
        { op: "put", table: "locks", key: "b", value: utf8("2") },
      ]);
      state.commitPulse(pulse(1, {
        digests: [idOf("tx 0"), idOf("tx 1")],
        objects: [{ id: idOf("o"), kind: "identity", bytes: utf8("v1"), refs: {} }],
        knowledge: [utf8("leaf 0"), utf8("leaf 1")],
        rows: [{ op: "delete", table: "locks", key: "a" }],
      }));
      state.addBlocks([block(9, 9)]);
    }
    using state = openNodeState(path, { shown: "~/d" }) as NodeState;
    expect(state.identity).toEqual(IDENTITY);
    expect([...state.blocksOfRounds(0, 100)]).toEqual([block(1, 1), block(1, 2), block(2, 0)]);
    expect(state.block(block(1, 2).id)).toEqual(block(1, 2));
    expect(state.block(block(9, 9).id)).toBeUndefined();
    expect(state.newestOwnBlock()).toEqual(block(2, 0));
    expect([...state.ownRows()]).toEqual([{ table: "locks", key: "b", value: utf8("2") }]);
    expect(state.newestPulse()).toEqual({
      number: 1,
      header: utf8("header 1"),
      contents: utf8("contents 1"),
      executed: { succeeded: 1, failed: 0, void: 0 },
      eventCount: 0,
    });
    expect(state.tail()).toEqual({ bytes: utf8("tail 1"), keepFrom: 4 });
    expect(state.newestCertificate()).toBe(3);
    expect(state.certificate(3)).toEqual(utf8("certificate"));
    expect(state.receiptPlaces(idOf("tx 1"))).toEqual([{ pulse: 1, index: 1 }]);
    expect(state.receiptPlaces(idOf("tx 2"))).toEqual([]);
    expect([...state.objects()]).toEqual([[idOf("o"), utf8("v1")]]);
    expect([...state.knowledge()]).toEqual([utf8("leaf 0"), utf8("leaf 1")]);
  });

  test.each<[string, (state: NodeState) => void, boolean]>([
    ["nothing", () => {}, true],
    [
      "what others signed",
      (state) => {
        state.addBlocks([block(1, 1)]);
        state.addCertificate(3, utf8("certificate"));
        state.flush();
      },
      true,
    ],
    ["an own block", (state) => state.commitOwn(block(2, 0), []), false],
    ["an own row", (state) => {
      state.commitPulse(
        pulse(1, { rows: [{ op: "put", table: "own", key: "0", value: utf8("1") }] }),
      );
    }, false],
    ["a Pulse", (state) => state.commitPulse(pulse(1)), false],
  ])(
    "openNodeState() of another chain binds a store with %s anew only if it never signed",
    (_, write, isBound) => {
      {
        using state = open();
        write(state);
      }
      const chain = "c1".repeat(32);
      const told: string[] = [];
      const object = { id: idOf("o"), kind: "identity", bytes: utf8("v1"), refs: {} };
      const fresh = { identity: { ...IDENTITY, store: "", chain }, objects: [object] };
      const onBoundAnew = (before: string): void => void told.push(before);
      expect(readNodeStateLabel(path, "~/d")).toEqual({ ...IDENTITY, isUnused: isBound });
      {
        using state = openNodeState(path, { shown: "~/d", fresh, onBoundAnew }) as NodeState;
        expect(state.identity).toEqual(isBound ? { ...IDENTITY, chain } : IDENTITY);
        if (isBound) {
          expect([...state.blocksOfRounds(0, 100)]).toEqual([]);
          expect(state.certificate(3)).toBeUndefined();
          expect([...state.objects()]).toEqual([[idOf("o"), utf8("v1")]]);
        }
      }
      expect(told).toEqual(isBound ? [IDENTITY.chain] : []);
      expect(readNodeStateLabel(path, "~/d")?.chain).toBe(isBound ? chain : IDENTITY.chain);
    },
  );

  test("openNodeState() answers undefined for a file without a store", () => {
    expect(openNodeState(path, { shown: "~/d" })).toBeUndefined();
  });

  test("commitPulse() is whole or nothing", () => {
    using state = open();
    state.commitPulse(pulse(1, { knowledge: [utf8("leaf")] }));
    const twice = pulse(2, {
      objects: [{ id: idOf("o"), kind: "identity", bytes: utf8("v"), refs: {} }],
      knowledge: [utf8("again at 0")],
    });
    expect(() => state.commitPulse(twice)).toThrow();
    expect(state.newestPulse()?.number).toBe(1);
    expect([...state.objects()]).toEqual([]);
    state.commitPulse({ ...twice, knowledgeSize: 1 });
    expect(state.newestPulse()?.number).toBe(2);
  });

  test("commitPulse() drops old blocks, never the newest own one", () => {
    using state = open();
    state.commitOwn(block(1, 0), []);
    state.commitOwn(block(2, 0), []);
    state.addBlocks([block(2, 1), block(40, 1)]);
    state.commitPulse(pulse(1, { dropBlocksBelow: 30 }));
    expect([...state.blocksOfRounds(0, 100)]).toEqual([block(2, 0), block(40, 1)]);
  });

  test("commitOwn() and commitPulse() keep units with the blocks that bring them, and drop them when told", () => {
    using state = open();
    const forms = ["a", "b", "c"].map((name) => idOf(name));
    const [a, b, c] = forms as [string, string, string];
    const bytes = utf8("signed");
    state.addBlocks([{ ...block(1, 1), units: [{ form: a, bytes, until: 65 }] }]);
    expect(state.unit(a)).toBeUndefined();
    state.commitOwn({ ...block(1, 0), units: [{ form: b, bytes, until: 65 }] }, []);
    state.addBlocks([
      // Another store's units, of a snapshot, may be here already.
      { ...block(3, 1), units: [{ form: b, bytes: utf8("again"), until: 67 }] },
      { ...block(70, 2), units: [{ form: a, bytes: undefined, until: 134 }] },
      { ...block(70, 3), units: [{ form: c, bytes: undefined, until: 134 }] },
    ]);
    state.commitPulse(pulse(1, { dropBlocksBelow: 67 }));
    expect(forms.map((form) => state.unit(form))).toEqual([bytes, bytes, undefined]);
    state.commitPulse(pulse(2, { dropBlocksBelow: 68 }));
    expect(forms.map((form) => state.hasUnit(form))).toEqual([true, false, false]);
    state.commitPulse(pulse(3, { dropBlocksBelow: 135 }));
    expect(state.hasUnit(a)).toBe(false);
  });

  test("commitPulse() keeps the first certificate of 64 Pulses, and those that end sessions [L-602]", () => {
    using state = open();
    for (const number of [2, 5, 7, 63, 66, 67, 68, 200]) state.addCertificate(number, utf8("c"));
    state.commitPulse(pulse(7, { endsSession: { session: 0, next: Uint8Array.of(9) } }));
    state.commitPulse(pulse(8, { dropCertificatesBelow: 68 }));
    const kept = Array.from({ length: 201 }, (_, number) => number)
      .filter((number) => state.certificate(number) !== undefined);
    expect(kept).toEqual([2, 7, 66, 68, 200]);
    expect(state.certificateFrom(8)?.number).toBe(66);
    expect(state.certificateFrom(201)).toBeUndefined();
    expect([state.endOfSession(0), state.endOfSession(1)]).toEqual([{
      number: 7,
      next: Uint8Array.of(9),
    }, undefined]);
  });

  test("commitPulse() keeps what a Pulse published until it is told to drop it [L-600]", () => {
    using state = open();
    state.commitPulse(pulse(1));
    state.commitPulse(pulse(2, { dropPublishedBelow: 2 }));
    expect(state.published(1)).toBeUndefined();
    expect(state.published(2)).toEqual({
      data: utf8("data 2"),
      locks: utf8("locks"),
      state: utf8("state"),
    });
  });

  test("objectIds() pages through a kind, and through those that name an id as a role", () => {
    using state = open();
    const principal = idOf("alice");
    const ids = Array.from({ length: 5 }, (_, i) => idOf(`agent ${i}`)).sort();
    state.commitPulse(pulse(1, {
      objects: ids.map((id, i) => ({
        id,
        kind: "identity",
        bytes: utf8(id),
        refs: { principal: i < 3 ? principal : null, parent: null },
      })),
    }));
    expect(state.objectIds({ kind: "identity", limit: 2 })).toEqual(ids.slice(0, 2));
    expect(state.objectIds({ kind: "identity", limit: 9, after: ids[1] as string }))
      .toEqual(ids.slice(2));
    expect(
      state.objectIds({
        kind: "identity",
        where: { role: "principal", equals: principal },
        limit: 9,
      }),
    )
      .toEqual(ids.slice(0, 3));
    expect(state.objectIds({ kind: "charter", limit: 9 })).toEqual([]);
  });

  test("pulsesWithEvents() passes over Pulses without", () => {
    using state = open();
    for (let n = 1; n <= 9; n++) state.commitPulse(pulse(n, { eventCount: n % 3 === 0 ? 2 : 0 }));
    expect(state.pulsesWithEvents(4, 10)).toEqual([6, 9]);
    expect(state.pulsesWithEvents(1, 1)).toEqual([3]);
  });

  test("receiptPlaces() answers every receipt whose digest begins alike", () => {
    using state = open();
    const digest = idOf("tx");
    const alike = digest.slice(0, 16) + idOf("other").slice(16);
    state.commitPulse(pulse(1, { digests: [digest] }));
    state.commitPulse(pulse(2, { digests: [idOf("x"), alike] }));
    expect(state.receiptPlaces(digest)).toEqual([{ pulse: 1, index: 0 }, { pulse: 2, index: 1 }]);
  });

  test("receiptPlaces() finds receipts of Pulses new and old, also after a restart", () => {
    const digestsOf = (n: number): string[] =>
      Array.from({ length: 100 + n }, (_, index) => idOf(`tx ${n} ${index}`));
    const numbers = Array.from({ length: 50 }, (_, at) => at + 1);
    const holdsAll = (state: NodeState, upTo: number): void => {
      for (const n of numbers.filter((n) => n <= upTo)) {
        for (const index of [0, 57, 99 + n]) {
          const digest = digestsOf(n)[index] as string;
          expect(state.receiptPlaces(digest)).toEqual([{ pulse: n, index }]);
        }
      }
    };
    {
      using state = open();
      for (const n of numbers) {
        state.commitPulse(pulse(n, { digests: digestsOf(n) }));
        if (n % 10 === 0) holdsAll(state, n);
      }
    }
    using state = openNodeState(path, { shown: "~/d" }) as NodeState;
    holdsAll(state, 50);
    expect(state.receiptPlaces(idOf("none"))).toEqual([]);
  });
});
