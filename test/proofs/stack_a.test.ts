import { beforeAll, describe, expect, it } from "vitest";
import { encode, idBytes, SionError } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { createLedger, genesisState } from "#internal/ledger/mod.ts";
import type {
  ExecutedField,
  Header,
  WorldInput,
  WorldOrdered,
  WorldOutput,
} from "#internal/proofs/mod.ts";
import {
  buildWitness,
  executeByStackA,
  executeByStackB,
  worldVerifier,
  worldWitnessCodec,
} from "#internal/proofs/mod.ts";
import { header as anyHeader } from "./_signed.ts";
import type { Wallet } from "./_stack_b.ts";
import { genesisOf, inputOf, ordered, paying, treesOf, unitOf, walletOf } from "./_stack_b.ts";

const ledger = createLedger();
let backend: DualBackend;
let alice: Wallet;
let bob: Wallet;
let paid: Uint8Array;

beforeAll(async () => {
  backend = await loadDualBackend("insecure");
  [alice, bob] = [await walletOf("alice"), await walletOf("bob")];
  paid = await unitOf(alice, 0n, [paying([bob.account, 5n])]);
});

/** A Pulse of two shards, all of its state before shown. */
function pulse(entries: readonly WorldOrdered[], change: Partial<WorldInput> = {}): WorldInput {
  const trees = treesOf(genesisOf([[alice, 1_000_000n], [bob, 2_000_000n]]), 2);
  return inputOf(trees, entries, change);
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SionError) return error.code;
    throw error;
  }
  return "";
}

describe("executeByStackA()", () => {
  it("comes to what stack B does of a Pulse that was written by hand", () => {
    const slot = { type: "void", account: bob.account, sequence: 0n } as const;
    const input = pulse([ordered(paid), slot]);
    const output = executeByStackA(ledger, input);
    expect(output).toEqual(executeByStackB(input).output);
    expect(output).toMatchObject({ receipts: 2, succeeded: 1, voided: 1, fees: 2200n });
  });

  it("says which of its inputs cannot be, as stack B does", async () => {
    const payment = paying([bob.account, 5n]);
    const wanted = [payment];
    const at = (unit: Uint8Array, change: Partial<WorldInput> = {}): WorldInput =>
      pulse([ordered(unit)], change);
    const { trees, before } = at(paid);
    const stub = { type: "stub", hash: new Uint8Array(32).fill(1) } as const;
    const foreign = await unitOf(alice, 0n, wanted, { chain: "ab".repeat(32) });
    const [first = stub] = trees;
    const lies: [string, WorldInput][] = [
      ["unit", at(Uint8Array.of(1, 2, 3))],
      ["unit", at(foreign)],
      ["authorization", at(await unitOf(alice, 0n, [{ ...payment, account: bob.account }]))],
      ["authorization", at(await unitOf(alice, 0n, wanted, { maxFee: 1099n }))],
      ["order", at(await unitOf(alice, 1n, wanted))],
      ["order", pulse([ordered(paid), ordered(paid)])],
      ["witness", at(paid, { shards: 3 })],
      ["witness", at(paid, { trees: [stub, first] })],
      ["witness", at(paid, { trees: trees.toReversed() })],
      ["witness", at(paid, { peaks: [new Uint8Array(32)] })],
      ["witness", at(paid, { before: { ...before, knowledgeSize: 1n } })],
      ["witness", at(paid, { before: { ...before, stateRoot: new Uint8Array(32) } })],
    ];
    for (const [code, input] of lies) {
      expect(codeOf(() => executeByStackA(ledger, input))).toBe(code);
      expect(codeOf(() => executeByStackB(input))).toBe(code);
    }
  });
});

describe("worldVerifier()", () => {
  const parameters = { epochPulses: null, shards: 2, faucet: true, insecure: true };

  /** What a node serves of a Pulse with these entries, and the headers around it. */
  function served(entries: readonly WorldOrdered[]) {
    const accounts = [[alice.account, 1_000_000n], [bob.account, 2_000_000n]] as const;
    const state = genesisState(ledger, { shards: 2, faucet: true, accounts });
    const input = pulse(entries);
    const { touched, roots } = ledger.execute(state, {
      pulse: input.pulse,
      timeMs: input.timeMs,
      beacon: idBytes(input.beacon),
      ordered: entries.map((entry) =>
        entry.type === "void"
          ? entry
          : { type: "unit", signed: ledger.decodeSigned(entry.bytes), forced: entry.forced }
      ),
    });
    const before: Header = { ...anyHeader, stateRoot: state.root(), number: input.pulse - 1n };
    const header: Header = {
      ...anyHeader,
      chain: idBytes(input.chain),
      number: input.pulse,
      timeMs: input.timeMs,
      beacon: idBytes(input.beacon),
      stateRoot: roots.state,
      knowledgeRoot: roots.knowledge,
      knowledgeSize: roots.knowledgeSize,
      receiptsRoot: roots.receipts,
      leavesRoot: roots.leaves,
    };
    const witness = encode(worldWitnessCodec, buildWitness(state, touched));
    return { header, before, ordered: entries, parameters, next: undefined, witness, backend };
  }

  it("has both stacks come to every field of the header [L-251 L-272]", async () => {
    const claim = served([ordered(paid)]);
    const verdict = await worldVerifier(ledger)(claim);
    expect(verdict).toEqual({ ok: true, leaves: 2, stacks: ["A", "B"] });
    const fields: Record<ExecutedField, Partial<WorldOutput>> = {
      stateRoot: { stateRoot: new Uint8Array(32) },
      knowledgeRoot: { knowledgeRoot: new Uint8Array(32) },
      knowledgeSize: { knowledgeSize: 1n },
      receiptsRoot: { receiptsRoot: new Uint8Array(32) },
      leavesRoot: { leavesRoot: new Uint8Array(32) },
    };
    for (const [field, change] of Object.entries(fields)) {
      const header = { ...claim.header, ...change };
      const reason = `stack A: comes to another ${field}`;
      expect(await worldVerifier(ledger)({ ...claim, header })).toEqual({ ok: false, reason });
    }
  });

  it("refuses a session that does not follow from the header before", async () => {
    const claim = served([ordered(paid)]);
    for (
      const [field, change] of Object.entries({
        session: { session: 1 },
        sessionEnd: { sessionEnd: 14n },
      })
    ) {
      const header = { ...claim.header, ...change };
      const reason = `stack A: comes to another ${field}`;
      expect(await worldVerifier(ledger)({ ...claim, header })).toEqual({ ok: false, reason });
    }
  });

  it("verifies each client's signature, once for both stacks", async () => {
    const claim = served([ordered(paid)]);
    let asked = 0;
    const counting: DualBackend = {
      ...backend,
      verify(...args) {
        asked++;
        return backend.verify(...args);
      },
    };
    expect(await worldVerifier(ledger)({ ...claim, backend: counting })).toMatchObject({
      ok: true,
    });
    expect(asked).toBe(1);
    const deaf: DualBackend = { ...backend, verify: () => Promise.resolve(false) };
    const verdict = await worldVerifier(ledger)({ ...claim, backend: deaf });
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringMatching(/signature/) });
  });

  it("refuses another order, and what is no witness", async () => {
    const claim = served([ordered(paid)]);
    const slot = { type: "void", account: alice.account, sequence: 0n } as const;
    expect(await worldVerifier(ledger)({ ...claim, ordered: [slot] })).toMatchObject({ ok: false });
    expect(await worldVerifier(ledger)({ ...claim, ordered: [] })).toMatchObject({ ok: false });
    const verdict = await worldVerifier(ledger)({ ...claim, witness: Uint8Array.of(9) });
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringMatching(/^its witness/) });
  });
});
