import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { atomId } from "../../internal/ledger/claims/atom.ts";
import { USD, useBench } from "./bench.ts";

const FAMILIES = [0, 1].map((family) => atomId({ kind: "signature", body: { family } }));

describe("Client", () => {
  const bench = useBench();
  const act = async (wallet: string, kind: string, body: object) => {
    const [outcome] = await bench.client.transact({ wallet, actions: [{ kind, body }] });
    expect(outcome?.status).toBe("Success");
    return outcome?.made[0] ?? "";
  };
  const post = (wallet: string, label: string, usd: bigint) =>
    act(wallet, "bond_post", { label, amount: usd * USD });

  it("issueClaim() states what rests on the issuer's dual signature alone [L-165 L-167 L-172 L-176]", async () => {
    const { claim = "", receipt, status } = await bench.client.issueClaim({
      issuer: "alice",
      subject: "Invoice 88 was paid in full",
    });
    expect(status).toBe("Success");
    expect(receipt).toBe(`Done: claim ${claim.slice(0, 8)} submitted; fee 0.0011 USD.`);
    const { object } = await bench.client.object("claim", claim.slice(0, 12));
    expect(object).toMatchObject({
      issuer: await bench.chain.accountOf("alice"),
      schema: "note/v1",
      subject: "Invoice 88 was paid in full",
      formula: "all of (ml-dsa-44, slh-dsa-sha2-128f)",
      valid_until: Number(object["issued"]) + 1000,
      status: "Active",
    });
  });

  it("issueClaim() of a bond that is not there tells why it failed, and has no claim", async () => {
    const failed = await bench.client.issueClaim({
      issuer: "alice",
      subject: "x",
      bondLabel: "no",
    });
    expect(failed.status).toEqual({
      Failed: expect.stringMatching(
        /^invalid transaction: there is no bond [0-9a-f]{8}$/,
      ) as string,
    });
    expect(failed).not.toHaveProperty("claim");
  });

  it("assessClaim() accepts on two signature families, and rejects once neither is trusted [L-183..L-185 L-189 L-194 L-196..L-217]", async () => {
    const { claim = "" } = await bench.client.issueClaim({ issuer: "alice", subject: "it is so" });
    const question = { claim, value: 1000n * USD };
    const accepted = await bench.client.assessClaim(question);
    expect(accepted).toEqual({
      atoms: FAMILIES.map((id, family) => ({
        bond: null,
        cost: "Infinite",
        id,
        trusted: true,
        what: ["ml-dsa-44", "slh-dsa-sha2-128f"][family],
      })),
      claim: "it is so",
      decision: {
        accept: true,
        adjudicator_cap: "Infinite",
        coc: { exact: true, high: "Infinite", low: "Infinite" },
        detection_adjusted: "Infinite",
        effective: "Infinite",
        reasons: ["cost of corruption ∞ covers κ·V = 2,000"],
        required: 2_000_000_000,
        reservable: "Infinite",
      },
      status: "Active",
    });
    const [first = "", second = ""] = FAMILIES;
    const one = await bench.client.assessClaim({ ...question, distrust: [first] });
    expect(one.decision.coc.low).toBe("Infinite");
    const kappa = 3_000_000n;
    const both = { ...question, kappa, distrust: [first.slice(0, 8), second] };
    const rejected = await bench.client.assessClaim(both);
    expect(rejected.decision).toEqual({
      accept: false,
      adjudicator_cap: "Infinite",
      coc: { exact: true, high: { Finite: 0 }, low: { Finite: 0 } },
      detection_adjusted: { Finite: 0 },
      effective: { Finite: 0 },
      reasons: [
        "cost of corruption 0 (after detection discount 1000/1000) is below κ·V = 3,000",
        "only 0 of backing is unreserved; κ·V = 3,000 is needed",
      ],
      required: 3_000_000_000,
      reservable: { Finite: 0 },
    });
    expect(rejected.atoms.map(({ trusted }) => trusted)).toEqual([false, false]);
  });

  it("assessClaim() weighs bonds, adjudicators and claims below, with what is reserved of them [L-060 L-166 L-198 L-203 L-209 L-210 L-215]", async () => {
    await post("alice", "tests", 100n);
    await post("bob", "judge", 70n);
    const { claim: below = "" } = await bench.client.issueClaim({
      issuer: "alice",
      subject: "below",
      bondLabel: "tests",
      adjudicator: { account: "bob", label: "judge" },
      detection: 900,
    });
    await act("alice", "bond_reserve", {
      claim: below,
      account: await bench.chain.accountOf("bob"),
      amount: 40n * USD,
      pulses: 50n,
    });
    const { claim = "" } = await bench.client.issueClaim({
      issuer: "bob",
      subject: "above",
      restsOn: [below.slice(0, 10)],
      holdsForPulses: 5,
    });
    const { atoms, decision } = await bench.client.assessClaim({
      claim,
      value: 30n * USD,
      kappa: 1_000_000n,
    });
    expect(atoms.slice(2).map(({ what, bond, cost, trusted }) => [what, bond, cost, trusted]))
      .toEqual([
        ["bond alice:tests", 100_000_000, { Finite: 100_000_000 }, false],
        ["adjudicator bob:judge", 70_000_000, { Finite: 70_000_000 }, false],
      ]);
    expect(decision).toMatchObject({
      accept: true,
      adjudicator_cap: { Finite: 70_000_000 },
      coc: { exact: true, high: { Finite: 100_000_000 }, low: { Finite: 100_000_000 } },
      detection_adjusted: { Finite: 90_000_000 },
      effective: { Finite: 70_000_000 },
      required: 30_000_000,
      reservable: { Finite: 60_000_000 },
    });
  });

  it("assessClaim() says what a receipt claim of a payment states [L-196]", async () => {
    const { charter = "", allotment = "" } = await bench.client.createAgent({
      principal: "alice",
      wallet: "coder",
      budget: USD,
    });
    const { made } = await bench.client.agentPay({
      agent: "coder",
      charter,
      allotment,
      payee: "bob",
      amount: USD / 5n,
      purpose: "one forecast",
    });
    const { atoms, claim } = await bench.client.assessClaim({ claim: made[0] ?? "", value: USD });
    expect(claim).toBe('paid 0.2 USD to bob, for "one forecast"');
    expect(atoms.map(({ what }) => what)).toEqual(['assumption "ledger:execution"']);
  });

  it("assessClaim() refuses beginnings of no atom, and claims that are not there", async () => {
    const { claim = "" } = await bench.client.issueClaim({ issuer: "alice", subject: "it is so" });
    const question = { claim, value: USD };
    await expect(bench.client.assessClaim({ ...question, distrust: ["0123abcd"] })).rejects.toThrow(
      "0123abcd begins the id of no atom of the claim: give an id as the assessment lists it",
    );
    await expect(bench.client.assessClaim({ ...question, claim: "11".repeat(32) })).rejects.toThrow(
      "the ledger has no claim 11111111: check the id",
    );
    const strange = await bench.client.assessClaim({ ...question, distrust: ["22".repeat(32)] });
    expect(strange.decision.accept).toBe(true);
  });

  it("assessClaim() refuses objects that are not what their ids say", async () => {
    const { claim = "" } = await bench.client.issueClaim({ issuer: "alice", subject: "it is so" });
    const { chain } = bench;
    const object = chain.state.get(claim);
    if (object === undefined) throw new Error("no claim");
    const other = { ...object.value as object, issued: 1n };
    const bytes = toHex(chain.ledger.encodeObject({ kind: "claim", value: other }));
    chain.answers.set("claim", {
      exists: true,
      id: claim,
      objects: [{ id: claim, object: bytes }],
    });
    await expect(bench.client.assessClaim({ claim, value: USD })).rejects.toMatchObject({
      code: "node-error",
    });
  });
});
