/** A wallet's file stands in front of the devnet's wallet of its name: not without being asked for. */
import { SionError } from "#internal/core/mod.ts";
import { toggle } from "../command.ts";
import type { CommandContext } from "../context.ts";

/** How long the node is asked, ms: a wallet is made without one too. */
const ASK_MS = 1_000;

/** `wallet-shadows`: the devnet has a wallet of that name. Data: none. */
export type ShadowErrorCode = "wallet-shadows";

/** The option that makes a file of such a name all the same. */
export const shadowFlag = toggle("also in front of a devnet's wallet of that name");

/** @throws {SionError} `wallet-shadows` unless `--shadow` was given. */
export async function requireNoShadow(
  { client, signal, output }: CommandContext,
  name: string,
  allowed: boolean,
): Promise<void> {
  const { wallets } = await client();
  const soon = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const shadowed = await wallets.shadowed(name, { signal: soon });
  if (shadowed === undefined) return;
  const has = shadowed === "funded" ? "is a wallet with money on every devnet" : "has an account " +
    "on this devnet";
  if (allowed) {
    return output.note(`${name} ${has}; from now on ${name} means this file, not that wallet`);
  }
  throw new SionError<ShadowErrorCode>(
    "wallet-shadows",
    `${name} ${has}, which a file of that name would stand in front of: choose another name, or ` +
      "give --shadow",
  );
}
