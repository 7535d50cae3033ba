/** The facilitator: what it takes, once, and what it says of everything else. */
import { describe, expect, it } from "vitest";
import type { Client } from "#internal/client/mod.ts";
import { encodeHeader, HEADERS, networkOf } from "#internal/x402/mod.ts";
import { ask, buy, jsonOf, settlementOf, useGateway } from "./bench.ts";

type Said = Readonly<Record<string, unknown>>;

describe("the facilitator", () => {
  const bench = useGateway();

  /** A facilitator with a payment that it was not shown yet. */
  async function paid() {
    const { url } = await bench.start();
    const { offer, digest, nonce, header } = await buy(bench, `${url}/v1/resource`);
    const paymentPayload = {
      x402Version: 2,
      accepted: offer,
      payload: { transaction: digest, nonce },
    };
    const post = async (path: string, body: unknown): Promise<Said> => {
      const answer = await ask(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
      expect(answer.status).toBe(200);
      return jsonOf(answer) as Said;
    };
    const asked = { x402Version: 2, paymentPayload, paymentRequirements: offer };
    return { url, offer, digest, header, asked, post };
  }

  it("says what it supports [L-328]", async () => {
    const { url, facilitator } = await bench.start();
    expect(facilitator).toBe(url);
    expect(jsonOf(await ask(`${url}/supported`))).toEqual({
      extensions: [],
      kinds: [{
        extra: { asset: expect.any(String) },
        network: networkOf(bench.chain.chain),
        scheme: "exact",
        x402Version: 2,
      }],
      signers: { "sion:*": [] },
    });
  });

  it("verifies as often as it is asked, and settles for one of many callers [L-328]", async () => {
    const { asked, post, digest, url, header } = await paid();
    const payer = await bench.chain.accountOf("alice");
    for (let times = 0; times < 2; times++) {
      expect(await post("/verify", asked)).toEqual({ isValid: true, payer });
    }
    const said = await Promise.all(Array.from({ length: 24 }, () => post("/settle", asked)));
    const won = said.filter(({ success }) => success === true);
    expect(won).toEqual([expect.objectContaining({ transaction: digest, payer })]);
    const lost = said.filter(({ success }) => success !== true);
    expect(new Set(lost.map(({ errorReason }) => errorReason)))
      .toEqual(new Set(["duplicate_settlement"]));
    expect(await post("/verify", asked))
      .toMatchObject({ isValid: false, invalidReason: "duplicate_settlement" });
    // What somebody else's server took is not the gateway's to answer.
    const answer = await ask(`${url}/v1/resource`, { headers: { [HEADERS.payment]: header } });
    expect(settlementOf(answer)?.errorReason).toBe("duplicate_settlement");
  });

  it("refuses, with its reason, what is not as it should be", async () => {
    const { asked, post, offer } = await paid();
    const { paymentPayload } = asked;
    const reasonOf = async (change: object): Promise<unknown> => {
      const body = { ...asked, ...change };
      const { errorReason } = await post("/settle", body);
      expect((await post("/verify", body))["invalidReason"]).toBe(errorReason);
      return errorReason;
    };
    const offered = (change: object) => {
      const other = { ...offer, ...change };
      return { paymentRequirements: other, paymentPayload: { ...paymentPayload, accepted: other } };
    };
    expect(await reasonOf({ paymentRequirements: 1 })).toBe("invalid_payment_requirements");
    expect(await reasonOf({ paymentPayload: {} })).toBe("invalid_payload");
    expect(await reasonOf({ paymentPayload: { ...paymentPayload, x402Version: 1 } }))
      .toBe("invalid_x402_version");
    expect(await reasonOf(offered({ scheme: "upto" }))).toBe("unsupported_scheme");
    expect(await reasonOf(offered({ network: "eip155:1" }))).toBe("invalid_network");
    expect(await reasonOf(offered({ amount: "0" }))).toBe("invalid_payment_requirements");
    expect(await reasonOf(offered({ amount: "249999" })))
      .toBe("invalid_exact_sion_amount_mismatch");
    expect(await reasonOf(offered({ payTo: "ab".repeat(32) })))
      .toBe("invalid_exact_sion_recipient_mismatch");
    expect(await reasonOf({ paymentRequirements: { ...offer, amount: "1" } }))
      .toBe("invalid_exact_sion_amount_mismatch");
    // After all of that, the payment is as good as it was.
    expect(await post("/settle", asked)).toMatchObject({ success: true });
  });

  it("says that a payment is under way, and takes none when it cannot look it up", async () => {
    let answer: "pending" | "unknown" | Error = "pending";
    const client: Client = Object.create(bench.client, {
      provenTransaction: {
        value: () => answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer),
      },
    }) as Client;
    const { asked } = await paid();
    const { url } = await bench.start({ client, dir: `${bench.dir}/other` });
    const settle = async (): Promise<Said> =>
      jsonOf(await ask(`${url}/settle`, { method: "POST", body: JSON.stringify(asked) })) as Said;
    expect(await settle()).toMatchObject({
      success: false,
      errorReason: "settlement_pending",
      transaction: asked.paymentPayload.payload.transaction,
    });
    answer = "unknown";
    expect((await settle())["errorReason"]).toBe("invalid_transaction_state");
    answer = new Error("the node is gone");
    expect((await settle())["errorReason"]).toBe("unexpected_settle_error");
  });

  it("reads no body that is none, and is not there where it was put elsewhere", async () => {
    const own = { host: "127.0.0.1", port: 0 };
    const { url, facilitator = "" } = await bench.start({ facilitator: own });
    expect(facilitator).not.toBe(url);
    const post = async (to: string, body: string): Promise<number> =>
      (await ask(to, { method: "POST", body })).status;
    expect(await post(`${facilitator}/settle`, "{")).toBe(400);
    expect(await post(`${facilitator}/settle`, `"${"x".repeat(70_000)}"`)).toBe(400);
    expect(await post(`${facilitator}/else`, "{}")).toBe(404);
    expect((await ask(`${facilitator}/settle`)).status).toBe(404);
    // There it is a path like any other, of which there is nothing to buy.
    expect(await post(`${url}/settle`, "{}")).toBe(404);
    expect(encodeHeader({})).toBe("e30=");
  });
});
