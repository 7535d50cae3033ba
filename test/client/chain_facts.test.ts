import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

describe("Client", () => {
  const bench = useBench();
  const asked = () => bench.chain.calls.filter(({ method }) => method === "status").length;

  it("balance() of names at the same time asks once which chain it is, and later again", async () => {
    const names = Array.from({ length: 32 }, (_, at) => `wallet${at % 4}`);
    const found = await Promise.all(names.map((name) => bench.client.balance(name)));
    expect(asked()).toBe(1);
    expect(found[5]?.account).toBe(await bench.chain.accountOf("wallet1"));
    await bench.client.balance("alice");
    expect(asked()).toBe(2);
  });

  it("balance() that is given up ends at once, and the others have their answer", async () => {
    const controller = new AbortController();
    const given = bench.client.balance("alice", { signal: controller.signal });
    const other = bench.client.balance("alice");
    controller.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    expect((await other).balances).toHaveLength(1);
  });
});
