/** What tools give where there is more than a model can use. */
import { expect, it } from "vitest";
import { call } from "./_call.ts";
import { fakeLedger, fakeLedgerServer } from "./_ledger.ts";

it("sion_storage_deals asks for less where it would list over 500 deals", async () => {
  const { storage } = fakeLedger();
  const [deal] = await storage.deals();
  const many = Array.from({ length: 501 }, () => deal as NonNullable<typeof deal>);
  const server = fakeLedgerServer([], {
    storage: { ...storage, deals: () => Promise.resolve(many) },
  });
  const { isError, text } = await call(server, "sion_storage_deals", {});
  expect([isError, text]).toEqual([
    true,
    "there are 501 deals, over 500: ask for one by its id, or for open ones",
  ]);
});
