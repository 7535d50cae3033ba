/**
 * Fetching what may charge: asked without a payment first, paid on the ledger, shown the payment. The
 * payment is kept from before it is signed until a server has taken it, so that whatever breaks off,
 * the same payment is shown again and no other is made. docs/protocol/x402.md has the rules.
 */
import { OUTSIDE_DEPTH, parseJson, quoteOddWord, SionError, utf8Text } from "#internal/core/mod.ts";
import type { Reach, WebResponse } from "#internal/runtime/mod.ts";
import { namesThisMachine, sleep, webRequest } from "#internal/runtime/mod.ts";
import type { PaymentRequired, PaymentRequirements, Resource } from "#internal/x402/mod.ts";
import {
  decodeHeader,
  encodeHeader,
  HEADERS,
  HEADERS_V1,
  networkOf,
  readPaymentRequired,
  readSettleResponse,
  resourceAsked,
  takeableOffer,
  X402_VERSION,
} from "#internal/x402/mod.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import {
  offerUnfit,
  paidAnswerTooLarge,
  paymentNotTaken,
  paymentUnanswered,
  paymentUsed,
  tooDear,
  tooManyRedirects,
} from "./paid_errors.ts";
import type { FetchedResource, PaidFetch, Settlement } from "./paid_types.ts";
import type { Errand, Paid } from "./purchase.ts";
import { keptPayment, payFor, prepareErrand } from "./purchase.ts";

/** How long one answer is waited for, ms. */
const ANSWER_MS = 60_000;
/** Bytes of an answer. */
const MAX_ANSWER_BYTES = 8 << 20;
const MAX_REDIRECTS = 5;
/** Waits between showings of a payment to a server that did not answer, ms. */
const SHOW_AGAIN_MS = [500, 1_000, 2_000, 4_000];
/** Statuses that mean "later": nothing was decided. */
const LATER = new Set([409, 425, 429, 503]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches, pays at most once and at most the limit, and shows the payment.
 * @throws {SionError} `PaidErrorCode`, `WebErrorCode`, and what paying throws
 */
export async function fetchPaid(context: Context, asked: PaidFetch): Promise<FetchedResource> {
  if (resourceAsked("GET", asked.url) === undefined) throw badUrl(asked.url);
  const errand = await prepareErrand(context, asked);
  try {
    return await run(errand, asked);
  } finally {
    for (const purchase of errand.held) context.work.purchases.delete(purchase);
  }
}

async function run(errand: Errand, asked: PaidFetch): Promise<FetchedResource> {
  let url = asked.url;
  let reach = asked.reach ?? { loopback: true, private: false };
  for (let redirects = 0;; redirects++) {
    const resource = resourceAsked("GET", url);
    if (resource === undefined) throw badUrl(url);
    const kept = await keptPayment(errand, resource);
    if (kept !== undefined) return await show(errand, resource, kept, { reach, quoted: undefined });
    const answer = await ask(errand, resource.url, { reach, headers: {} });
    const next = redirects < MAX_REDIRECTS ? nextPlace(resource.url, answer) : undefined;
    if (next !== undefined) {
      // A stranger's server must not lead into this machine.
      const isHere = namesThisMachine(new URL(resource.url));
      reach = { ...reach, loopback: reach.loopback && isHere };
      url = next;
      continue;
    }
    if (REDIRECTS.has(answer.status) && redirects === MAX_REDIRECTS) {
      throw tooManyRedirects(new URL(url).host, "from place to place");
    }
    const quoted = answer.status === 402 ? requiredBy(answer) : undefined;
    if (quoted === undefined) return { body: bodyText(answer), paid: false, status: answer.status };
    const offer = choose(errand, resource, quoted);
    const paid = await payFor(errand, resource, offer);
    return await show(errand, resource, paid, { reach, quoted });
  }
}

function badUrl(url: string): Error {
  // What stands before an @ may be a password.
  const hidden = url.replace(/\/\/[^/@]*@/, "//…@");
  const shown = hidden.length > 100 ? `${hidden.slice(0, 100)}…` : hidden;
  return badArgument(
    `${quoteOddWord(shown)} is no URL that can be paid for: give one of http: or https:, without ` +
      "user or password",
  );
}

function ask(
  { asked: { signal } }: Errand,
  url: string,
  { reach, headers }: { readonly reach: Reach; readonly headers: Record<string, string> },
): Promise<WebResponse> {
  return webRequest({
    url: new URL(url),
    method: "GET",
    headers: { accept: "*/*", "user-agent": "sion", ...headers },
    reach,
    timeoutMs: ANSWER_MS,
    maxBytes: MAX_ANSWER_BYTES,
    ...withSignal(signal),
  });
}

/** Where an answer leads to; undefined when it is one to keep. */
function nextPlace(from: string, { status, headers }: WebResponse): string | undefined {
  const location = headers["location"];
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const next = URL.parse(location, from);
  if (next === null) return undefined;
  if (from.startsWith("https:") && next.protocol !== "https:") {
    throw tooManyRedirects(new URL(from).host, "to a place without encryption");
  }
  return next.href;
}

/** What an answer 402 asks for: of version 2 in a header, else in its body. */
function requiredBy({ headers, body }: WebResponse): PaymentRequired | undefined {
  const inHeader = readPaymentRequired(decodeHeader(headers[HEADERS.required]));
  if (inHeader !== undefined) return inHeader;
  try {
    return readPaymentRequired(parseJson(utf8Text(body), { maxDepth: OUTSIDE_DEPTH }));
  } catch {
    // A 402 of something else: it is returned as it is.
    return undefined;
  }
}

function choose(
  { facts, usd, asked }: Errand,
  resource: Resource,
  quoted: PaymentRequired,
): PaymentRequirements {
  const offer = takeableOffer(quoted, { chain: facts.chain, asset: usd }, resource);
  if (offer === undefined) {
    throw offerUnfit(new URL(resource.url).host, quoted, networkOf(facts.chain));
  }
  const amount = BigInt(offer.amount);
  if (amount > asked.most) throw tooDear(amount, asked.most);
  return offer;
}

/** Shows a payment until the server takes or refuses it, and forgets it when it is taken. */
async function show(
  errand: Errand,
  resource: Resource,
  paid: Paid,
  { reach, quoted }: { readonly reach: Reach; readonly quoted: PaymentRequired | undefined },
): Promise<FetchedResource> {
  const { context, asked } = errand;
  const state = await context.state();
  const { host } = new URL(resource.url);
  const headers = paymentHeaders(resource, paid, quoted?.x402Version);
  for (let tries = 0;; tries++) {
    const waitMs = SHOW_AGAIN_MS[tries];
    let answer: WebResponse;
    try {
      answer = await ask(errand, resource.url, { reach, headers });
    } catch (error) {
      asked.signal?.throwIfAborted();
      const code = error instanceof SionError ? error.code : undefined;
      if (code === "web-too-large") throw paidAnswerTooLarge(host, paid.digest, error);
      if (code !== "web-lost" && code !== "web-unreachable") throw error;
      if (waitMs === undefined) throw paymentUnanswered(host, paid.digest, error);
      await sleep(waitMs, asked.signal);
      continue;
    }
    const said = settlementOf(answer);
    const isLater = said?.success !== true &&
      (LATER.has(answer.status) || said?.errorReason === "settlement_pending");
    if (isLater && waitMs !== undefined) {
      await state.touchPurchase(paid.purchase, context.processId, context.clock.nowMs());
      await sleep(waitMs, asked.signal);
      continue;
    }
    if (isLater) throw paymentUnanswered(host, paid.digest, undefined);
    if (answer.status === 402) {
      const reason = said?.errorReason ?? requiredBy(answer)?.error ?? "it gave no reason";
      if (reason !== "duplicate_settlement") throw paymentNotTaken(host, paid.digest, reason);
      await state.endPurchase(paid.purchase);
      throw paymentUsed(host, paid.digest);
    }
    // What failed behind the gateway may be answered when the payment is shown the next time.
    if (answer.status < 500) await state.endPurchase(paid.purchase);
    if (said !== undefined) noteLies(errand, paid.settlement, said);
    return {
      body: bodyText(answer),
      offer: paid.offer,
      paid: true,
      quoted: quoted ?? asIfQuoted(resource, paid.offer),
      settlement: paid.settlement,
      status: answer.status,
    };
  }
}

/** What was asked for when the payment was made. */
function asIfQuoted({ url }: Resource, offer: PaymentRequirements): PaymentRequired {
  return { x402Version: X402_VERSION, resource: { url }, accepts: [offer] };
}

/**
 * The headers that show a payment.
 * @param version of the server; both where it is not known any more
 */
function paymentHeaders(
  { url }: Resource,
  { digest, nonce, offer }: Paid,
  version: number | undefined,
): Record<string, string> {
  const payload = { transaction: digest, nonce };
  const { scheme, network } = offer;
  const first = encodeHeader({ x402Version: 1, scheme, network, payload });
  const second = encodeHeader({
    x402Version: X402_VERSION,
    resource: { url },
    accepted: offer,
    payload,
  });
  return {
    ...(version === X402_VERSION ? {} : { [HEADERS_V1.payment]: first }),
    ...(version === 1 ? {} : { [HEADERS.payment]: second }),
  };
}

function settlementOf({ headers }: WebResponse): ReturnType<typeof readSettleResponse> {
  return readSettleResponse(
    decodeHeader(headers[HEADERS.response] ?? headers[HEADERS_V1.response]),
  );
}

/** The server's words are not what is returned; where they differ from what is proven, it is said. */
function noteLies(
  { context }: Errand,
  proven: Settlement,
  said: NonNullable<ReturnType<typeof readSettleResponse>>,
): void {
  const same = said.success && said.transaction === proven.transaction &&
    said.network === proven.network && (said.payer === undefined || said.payer === proven.payer);
  if (same) return;
  context.note(
    "what the server says of the settlement is not what the ledger proves: believe the latter",
  );
}

function bodyText({ body }: WebResponse): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}
