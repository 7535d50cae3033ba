/** What claims can rest on, and the ids of that. */
import { describe, expect, test } from "vitest";
import { decode, encode } from "#internal/core/mod.ts";
import type { Atom } from "../../../internal/ledger/claims/atom.ts";
import { atomCodec, atomId, bondId } from "../../../internal/ledger/claims/atom.ts";

const account = "11".repeat(32);
const bond = { account, label: "verifier" };
const ATOMS: readonly Atom[] = [
  { kind: "signature", body: { family: 0 } },
  { kind: "signature", body: { family: 1 } },
  { kind: "bond", body: bond },
  { kind: "bond", body: { account, label: "task-worker" } },
  { kind: "claim", body: { claim: account } },
  { kind: "adjudicator", body: bond },
  { kind: "assumption", body: { name: "agent:webhooks" } },
];

describe("atomId()", () => {
  test("atomId() is 64 hex digits, others for each signature family, bond, claim, adjudicator and assumption [L-400]", () => {
    const ids = ATOMS.map(atomId);
    expect(ids.filter((id) => /^[0-9a-f]{64}$/.test(id))).toEqual(ids);
    expect(new Set(ids).size).toBe(ATOMS.length);
    for (const atom of ATOMS) expect(decode(atomCodec, encode(atomCodec, atom))).toEqual(atom);
  });

  test("bondId() is the id of the bond's atom", () => {
    expect(bondId(bond)).toBe(atomId({ kind: "bond", body: bond }));
  });
});
