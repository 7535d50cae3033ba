/** The tools of tasks, over a client that records what it is asked. */
import { describe, expect, it } from "vitest";
import type { Called } from "./_call.ts";
import { call } from "./_call.ts";
import { type Asked, fakeLedgerServer, HEX, RECORDED } from "./_ledger.ts";

describe("tools/call", () => {
  it("sion_task_post and its kin give ids, receipts and what is paid [L-355..L-367 L-371..L-375 L-379..L-382 L-386..L-391 L-395]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const given = (name: string): Promise<Called> => call(server, name, RECORDED[name]);
    const posted = await given("sion_task_post");
    expect(posted.value).toEqual({
      pulse: 13,
      receipt: "Done: task 5bc688d4 posted, with 5 USD in escrow; fee 0.0011 USD.",
      status: "Success",
      task: HEX,
    });
    const claim = {
      claim: HEX,
      pulse: 13,
      receipt: "Done: claim e825c122 submitted; fee 0.0011 USD.",
      status: "Success",
    };
    expect((await given("sion_task_attest")).value).toEqual(claim);
    expect((await given("sion_task_submit")).value).toEqual(claim);
    expect((await given("sion_task_settle")).value).toMatchObject({
      events: [{ TaskPaid: { amount: 5_000_000, result: HEX, worker: HEX } }],
      status: "Success",
    });
    expect((await given("sion_task_show")).value).toMatchObject({
      escrow: "5",
      kappa: "2",
      state: "paid",
      task: HEX,
      worker: HEX,
    });
    const output = new TextEncoder().encode("17");
    expect(asked.map(({ method, args }) => [method, args[0]])).toEqual([
      ["tasks.post", {
        wallet: "alice",
        amount: 5_000_000n,
        worker: "bob",
        spec: new TextEncoder().encode("Count the primes below 60."),
        requires: [HEX],
        verifiers: ["dana"],
        adjudicator: HEX,
        kappa: 2_000_000n,
        detection: 900,
        reliancePulses: 1000,
        deadlinePulses: 500,
        charter: undefined,
        allotment: undefined,
      }],
      ["tasks.attest", { wallet: "dana", task: HEX, output, bondLabel: "verifier" }],
      ["tasks.submit", { wallet: "bob", task: HEX, output, attestations: [HEX] }],
      ["tasks.settle", RECORDED["sion_task_settle"]],
      ["tasks.show", HEX],
    ]);
    expect((await call(server, "sion_task_post", { amount_usd: 5, wallet: "alice" })).value)
      .toMatchObject({ task: HEX });
    const wrong = { ...RECORDED["sion_task_post"], detection_permille: 1001 };
    expect((await call(server, "sion_task_post", wrong)).text).toContain("must be 1 to 1,000");
  });
});
