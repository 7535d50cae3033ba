/**
 * Paying for a resource on the ledger: kept before it is signed, and proven before it is shown. A
 * payment that nobody took is found again, by this process or another, and no other is made.
 */
import { isHex64, parseJson, shortId, stringifyJson, toHex } from "#internal/core/mod.ts";
import type { KeptPurchase, PurchaseKey } from "#internal/store/mod.ts";
import type { PaymentRequirements, Resource } from "#internal/x402/mod.ts";
import {
  agentPurpose,
  MAX_TIMEOUT_SECONDS,
  networkOf,
  paymentMemo,
  readRequirements,
} from "#internal/x402/mod.ts";
import { signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, otherChain } from "./errors.ts";
import { keylessSigner } from "./keyless.ts";
import { isPurchaseLeftBehind } from "./ownership.ts";
import { paymentFailed } from "./paid_errors.ts";
import type { Settlement, WhoPays } from "./paid_types.ts";
import { settle } from "./submission.ts";
import { makeUnits, signingPlace } from "./transact.ts";
import type { Action } from "./types.ts";
import { proveTold } from "./verify.ts";

/** What a call works with. */
export interface Errand {
  readonly context: Context;
  readonly facts: ChainFacts;
  readonly asked: WhoPays;
  /** The paying account. */
  readonly account: string;
  readonly usd: string;
  /** Purchases that this call takes care of. */
  readonly held: string[];
}

/** A payment that the ledger has. */
export interface Paid {
  readonly purchase: string;
  readonly nonce: string;
  readonly offer: PaymentRequirements;
  readonly digest: string;
  readonly settlement: Settlement;
}

/** Who pays, on which chain. @throws {SionError} `argument`, `other-chain`, `wallet-unknown` */
export async function prepareErrand(context: Context, asked: WhoPays): Promise<Errand> {
  const { charter, allotment, chain, signal } = asked;
  if ((charter === undefined) !== (allotment === undefined)) {
    throw badArgument("charter and allotment are given both or not at all: give the other one too");
  }
  for (const [what, id] of Object.entries({ charter, allotment, chain })) {
    if (id !== undefined && !isHex64(id)) {
      throw badArgument(`${what} ${id} is no id: give its 64 hex digits`);
    }
  }
  const facts = await chainFacts(context, signal);
  if (chain !== undefined && facts.chain !== chain) throw otherChain(facts.chain, chain);
  const own = await signerNamed(context, facts, asked.wallet);
  const signer = asked.keyless === undefined ? own : await keylessSigner(own, asked.keyless);
  const { USD } = await import("#internal/ledger/mod.ts");
  return { context, facts, asked, account: signer.account, usd: USD, held: [] };
}

/**
 * The payment for a resource that nobody has taken, and that no other process is at.
 * @param fits which offers it may have been made for. @default any
 */
export async function keptPayment(
  errand: Errand,
  resource: Resource,
  fits: (offer: PaymentRequirements) => boolean = () => true,
): Promise<Paid | undefined> {
  const { context, facts, account, asked } = errand;
  const state = await context.state();
  const key: PurchaseKey = { chain: facts.chain, account, ...resource };
  for (const kept of state.purchases(key)) {
    const offer = readRequirements(parseJson(kept.offer));
    if (!isPurchaseLeftBehind(context, kept)) continue;
    if (offer !== undefined && !fits(offer)) continue;
    hold(errand, kept.purchase);
    await state.touchPurchase(kept.purchase, context.processId, context.clock.nowMs());
    const digest = asked.again === true ? undefined : kept.digest;
    const outcome = digest === undefined
      ? undefined
      : await settle(context, digest, withSignal(asked.signal));
    if (digest !== undefined && outcome?.status === "Success" && offer !== undefined) {
      context.note(
        `payment ${shortId(digest)} for it was made before and not taken: it is shown again`,
      );
      return { ...kept, digest, offer, settlement: await prove(errand, digest, outcome.pulse) };
    }
    // Never signed, never executed, failed, or given up.
    await state.endPurchase(kept.purchase);
  }
  return undefined;
}

/** Other calls of this process leave a purchase alone, until this call is over. */
function hold({ context, held }: Errand, purchase: string): void {
  context.work.purchases.add(purchase);
  held.push(purchase);
}

/** Pays: kept before it is signed, and proven before it is shown. */
export async function payFor(
  errand: Errand,
  resource: Resource,
  offer: PaymentRequirements,
): Promise<Paid> {
  const { context, facts, asked, account } = errand;
  const state = await context.state();
  const nonce = toHex(context.random(32));
  const purchase = paymentMemo(nonce, offer);
  const place = await signingPlace(context, facts, asked.wallet, asked);
  const kept: KeptPurchase = {
    purchase,
    chain: facts.chain,
    account,
    ...resource,
    nonce,
    offer: stringifyJson(offer),
    owner: context.processId,
    touchedMs: context.clock.nowMs(),
  };
  hold(errand, purchase);
  await state.beginPurchase(kept);
  const action = actionOf(errand, offer, resource, purchase);
  const seconds = Math.min(offer.maxTimeoutSeconds, MAX_TIMEOUT_SECONDS);
  const [outcomes] = await makeUnits(place, [() => [action]], {
    ...asked,
    purchase,
    validForPulses: Math.max(1, Math.min(asked.validForPulses ?? 20, Math.floor(seconds))),
  });
  const outcome = outcomes?.[0];
  if (outcome === undefined) throw new TypeError("A payment has no outcome");
  if (outcome.status !== "Success") {
    await state.endPurchase(purchase);
    throw paymentFailed(outcome.status.Failed, outcome.fee, outcome.digest);
  }
  asked.onPaid?.(outcome);
  const settlement = await prove(errand, outcome.digest, outcome.pulse);
  return { purchase, nonce, offer, digest: outcome.digest, settlement };
}

function actionOf(
  { asked: { charter, allotment } }: Errand,
  offer: PaymentRequirements,
  resource: Resource,
  memo: string,
): Action {
  const amount = BigInt(offer.amount);
  const payee = offer.payTo;
  if (charter === undefined || allotment === undefined) {
    return { kind: "pay_memo", body: { asset: offer.asset, payee, amount, memo } };
  }
  const purpose = agentPurpose(memo, resource);
  const body = { charter, allotment, payee, amount, purpose, session: null, call: null };
  return { kind: "agent_pay", body };
}

/** What this client says became of the payment: proven, against the chain that is insisted on. */
async function prove(
  { context, facts, account, asked }: Errand,
  digest: string,
  pulse: number,
): Promise<Settlement> {
  const { chain, certificate } = await proveTold(
    context,
    digest,
    pulse,
    asked.chain,
    withSignal(asked.signal),
  );
  const { quorum, signed: signedStake } = certificate;
  return {
    extensions: { sion: { chain, pulse, quorum, signedStake } },
    network: networkOf(facts.chain),
    payer: account,
    success: true,
    transaction: digest,
  };
}
