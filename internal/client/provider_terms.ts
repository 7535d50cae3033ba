/** Which deals a provider takes, and from whom their files come. */
import { formatUsd, shortId } from "#internal/core/mod.ts";
import type { DealObject } from "./deals.ts";
import type { ProviderTerms } from "./storage_types.ts";

/** Who serves a deal's file: one at a time of a host's is fetched. Files of this machine count apart. */
export function hostOf({ id, locator }: DealObject): string {
  const host = locator === null ? undefined : URL.parse(locator)?.hostname;
  return host === undefined || host === "" ? id : host;
}

/** Why a deal is not taken by a provider's terms. @param clients whose deals are taken; undefined: anybody's. */
export function termsFault(
  { client, size, price, collateral, locator }: DealObject,
  terms: ProviderTerms,
  clients: ReadonlySet<string> | undefined,
): string | undefined {
  if (clients !== undefined && !clients.has(client)) {
    return `its client is ${shortId(client)}, none of --client`;
  }
  if (size > BigInt(terms.maxFileBytes)) {
    return `its file has ${size} bytes, over ${terms.maxFileBytes} (--max-size)`;
  }
  if (price < terms.minPrice) {
    return `it pays ${formatUsd(price)} USD a round, below ${formatUsd(terms.minPrice)} ` +
      "(--min-price)";
  }
  if (collateral > terms.maxCollateral) {
    return `it asks for ${formatUsd(collateral)} USD of collateral, over ` +
      `${formatUsd(terms.maxCollateral)} (--max-collateral)`;
  }
  if (locator === null) return "it does not say where its file is";
  if (locator.startsWith("file:") && (terms.local ?? []).length === 0) {
    return `its file is on a machine of its client's (${locator}): --local takes files of this one`;
  }
  return undefined;
}
