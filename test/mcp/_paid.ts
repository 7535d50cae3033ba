/** What a fake client gives for a resource that charges, as the reference's recordings do. */
import type { FetchedResource, PaidFetch } from "#internal/client/mod.ts";
import { SionError } from "#internal/core/mod.ts";

export const HEX = "dab40d27bb62fa8dc40c1bf8194f6d04bff293ac65dd08ace075a8d6d5cec5be";

/** A quarter of a dollar, or the refusal of less. */
export function fetchedFrom({ most, url }: PaidFetch): Promise<FetchedResource> {
  if (most < 250_000n) {
    const text = "the server asks 0.25 USD, more than the 0.1 USD this client may pay";
    return Promise.reject(new SionError("too-dear", text));
  }
  const offer = {
    amount: "250000",
    asset: HEX,
    extra: { method: "GET", paymentFlow: "upfront", url },
    maxTimeoutSeconds: 60,
    network: `sion:${HEX.slice(0, 32)}`,
    payTo: HEX,
    scheme: "exact",
  };
  return Promise.resolve({
    body: '{"paid":true}',
    offer,
    paid: true,
    quoted: {
      accepts: [offer],
      resource: { url },
      x402Version: 2,
    },
    settlement: {
      extensions: { sion: { chain: HEX, pulse: 218, quorum: 266667, signedStake: 300000 } },
      network: `sion:${HEX.slice(0, 32)}`,
      payer: HEX,
      success: true,
      transaction: HEX,
    },
    status: 200,
  });
}
