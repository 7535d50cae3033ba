/** Four validators that agree. */
import { describe, expect, it } from "vitest";
import { Net } from "./_net.ts";

describe("createValidator()", () => {
  it("makes a network that executes and certifies a payment", () => {
    const net = new Net();
    net.run(3000);
    const unit = net.submit(0, net.payment("alice", "bob", 1_500_000n));
    expect(net.peer(0).answers.get(unit)).toEqual({ type: "accepted" });
    expect(net.run(5000, () => net.receipts.has(unit))).toBe(true);
    expect(net.outcomes(unit)).toEqual(["success"]);
    net.run(3000);
  });
});
