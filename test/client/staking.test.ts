/** What a client foresees of stake, and what it leaves to the ledger where it is not asked to. */
import { describe, expect, it } from "vitest";
import { encode, fromHex, toHex } from "#internal/core/mod.ts";
import type { BlockHeader } from "#internal/proofs/mod.ts";
import {
  accusationCodec,
  blockId,
  FORMAT_VERSION,
  offenceOf,
  ZERO_HASH,
} from "#internal/proofs/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { USD, useBench } from "./bench.ts";

describe("stake", () => {
  const bench = useBench();
  const validator = async (): Promise<string> => {
    const [found] = await bench.client.objects("validator");
    return found?.id ?? "";
  };

  it("delegate() leaves to the ledger what nobody asked to foresee", async () => {
    const given = { wallet: "alice", validator: await validator(), amount: USD / 2n };
    await expect(bench.client.stake.delegate({ ...given, foresee: true })).rejects.toThrow(
      "a delegation must be at least 1 USD: give more; nothing was sent",
    );
    expect(bench.chain.units.size).toBe(0);
    expect(await bench.client.stake.delegate(given)).toMatchObject({
      status: { Failed: "invalid transaction: a delegation must be at least 1" },
    });
    expect(bench.notes).toEqual([]);
  });

  it("leave() keeps the last active validator", async () => {
    const given = { wallet: "operator-0", validator: await validator(), foresee: true };
    await expect(bench.client.stake.leave(given)).rejects.toThrow(
      "the last active validator cannot leave: register another first; nothing was sent",
    );
  });

  it("report() shows the ledger nothing that it slashed for already", async () => {
    const { chain, client } = bench;
    const keys = await chain.backend.keysFromSeed(new Uint8Array(32));
    const signed = async (timeMs: bigint) => {
      const header: BlockHeader = {
        version: FORMAT_VERSION,
        chain: fromHex(chain.chain),
        session: 0,
        round: 7,
        author: 0,
        parents: [],
        timeMs,
        link: { value: ZERO_HASH, next: ZERO_HASH },
        bodyRoot: ZERO_HASH,
        statementsRoot: ZERO_HASH,
      };
      return { header, signature: await chain.backend.sign(keys, blockId(header), systemRandom) };
    };
    const [first, second] = [await signed(1n), await signed(2n)];
    const offence = offenceOf({ first, second });
    const accusation = encode(accusationCodec, { key: keys.publicKey, offence });
    chain.answers.set("accusations", { accusations: [toHex(accusation)], pulse: 3 });

    const given = { wallet: "alice", foresee: true };
    expect(await client.stake.accused()).toMatchObject([{
      validator: await validator(),
      session: 0,
    }]);
    expect(await client.stake.report(given)).toMatchObject([{ status: "Success" }]);
    const sent = chain.units.size;
    expect(await client.stake.accused()).toEqual([]);
    expect(await client.stake.report(given)).toEqual([]);
    expect(chain.units.size).toBe(sent);
    expect(await client.stake.report({ wallet: "alice" })).toMatchObject([
      {
        status: { Failed: expect.stringContaining("was slashed for session 0 already") as string },
      },
    ]);
    const delegation = { ...given, validator: await validator(), amount: USD };
    await expect(client.stake.delegate(delegation)).rejects.toThrow(
      "takes no more stake: `sion stake pools` has others; nothing was sent",
    );
    const changed = { ...given, wallet: "operator-0", validator: await validator() };
    await expect(client.stake.setCommission({ ...changed, commission: 1 })).rejects.toThrow(
      /^validator [0-9a-f]{8} was slashed, and is out; nothing was sent$/,
    );
  });
});
