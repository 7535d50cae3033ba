/** The tools of stake, over a client that records what it is asked. */
import { describe, expect, it } from "vitest";
import { call, type Called } from "./_call.ts";
import { type Asked, fakeLedgerServer, HEX, RECORDED } from "./_ledger.ts";

describe("tools/call of stake", () => {
  it("sion_stake_* give the recorded members [L-467..L-470 L-477 L-483 L-486 L-494 L-495 L-497 L-501 L-512]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const given = (name: string): Promise<Called> => call(server, name, RECORDED[name]);
    expect((await given("sion_stake_pools")).value).toEqual({
      pools: ["epoch 0, ending after Pulse 12; stake asset USD (test stake)"],
    });
    expect((await given("sion_stake_delegate")).value).toEqual({
      events: [{ Delegated: { amount: 5000000000, delegation: HEX, owner: HEX } }],
      pulse: 9,
      receipt: "Done: alice delegated 5,000 USD to validator d7c1b77d as delegation 59e26b64, " +
        "earning from the epoch's end; fee 0.0011 USD.",
      status: "Success",
    });
    expect((await given("sion_stake_show")).value).toEqual({
      account: HEX,
      delegations: [{
        delegation: HEX,
        phase: "pending",
        rewards_owed: "0",
        shares: "5000000000",
        since: 7,
        stake: "5,000",
        state: "pending: earns from the end of this epoch",
        validator: HEX,
        withdrawable_at: null,
      }],
      epoch: 0,
    });
    for (const name of ["claim", "undelegate", "withdraw"]) {
      const { value } = await given(`sion_stake_${name}`);
      expect(Object.keys(value as object)).toEqual(["events", "pulse", "receipt", "status"]);
    }
    const { wallet, delegation: stake } = RECORDED["sion_stake_claim"] ?? {};
    expect(asked.map(({ method, args }) => [method, args[0]])).toEqual([
      ["stake.pools", {}],
      ["stake.delegate", { ...RECORDED["sion_stake_delegate"], amount: 5_000_000_000n }],
      ["stake.show", "alice"],
      ["stake.claim", { stake, wallet }],
      ["stake.undelegate", RECORDED["sion_stake_undelegate"]],
      ["stake.withdraw", { stake, wallet }],
    ]);
  });
});
