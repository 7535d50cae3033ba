/** Keyless agents: their accounts are under a wallet's policy, and that wallet signs for them. */
import { idBytes, shortId } from "#internal/core/mod.ts";
import { accountNamed, signerNamed } from "./accounts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { badArgument } from "./errors.ts";
import type { Signer } from "./keys.ts";
import { textMember } from "./objects.ts";
import type { Abortable, ObjectValue } from "./types.ts";

/** The wallet as the signer of a keyless agent's account. */
export async function keylessSigner(signer: Signer, agent: string): Promise<Signer> {
  const { accountId } = await import("#internal/ledger/mod.ts");
  const salt = idBytes(agent);
  const account = accountId(signer.policy, salt);
  return { ...signer, account, salt, called: `agent ${shortId(agent)}` };
}

/**
 * How a wallet acts for an agent: the option that signing takes. Nothing for an agent with an account
 * of its own, which has to be the wallet's.
 * @throws {SionError} `argument` when it does not act for it.
 */
export async function actingFor(
  context: Context,
  wallet: string,
  agent: ObjectValue,
  { signal }: Abortable = {},
): Promise<{ readonly keyless?: string }> {
  const { account, keyless } = agent.object;
  const facts = await chainFacts(context, signal);
  if (keyless === true) {
    const signer = await keylessSigner(await signerNamed(context, facts, wallet), agent.id);
    if (signer.account === account) return { keyless: agent.id };
  } else if ((await accountNamed(context, facts, wallet, true)).account === account) return {};
  throw badArgument(
    `wallet ${wallet} does not act for agent ${shortId(agent.id)} (${
      textMember(agent, "name")
    }): ` +
      `give the wallet ${keyless === true ? "that signs for it" : "it was created for"}`,
  );
}
