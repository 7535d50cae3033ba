/** What can go wrong between a person and the ledger, each with the sentence that a person reads. */
import { accountFault, formatUsd, quoteOddWord, shortId, SionError } from "#internal/core/mod.ts";

/**
 * - `node-unreachable`: no node answers. Data: `node`.
 * - `node-error`: what answers is no node of this contract, or it failed inside. Data: `node`.
 * - `other-chain`: the node serves another chain than the pinned one (data: `chain`, `pinned`) or
 *   than a signed transaction is for (data: `chain`, `meant`).
 * - `not-devnet`: only a devnet has it. Data: none.
 * - `argument`: a value that cannot be meant. Data: none.
 * - `wallet-unknown`: no wallet of that name on this machine. Data: `wallet`.
 * - `payee`: neither a wallet name nor an account. Data: `text`.
 * - `no-money`: the account has nothing on this chain. Data: `account`.
 * - `not-enough`: the account has less than is needed. Data: `has`, `needs` (micro-USD).
 * - `read-only`: what answers is a gateway, which takes no transactions. Data: `node`.
 * - `refused`: the node takes no such transaction; nothing was done. Data: `digest`.
 * - `not-found`: the ledger has no such thing. Data: none.
 * - `transaction-hex`: the text is no signed transaction. Data: none.
 * - `expired`: not executed by its last Pulse; it never will be. Data: `digest`.
 * - `taken`: another transaction took its place; it never executes. Data: `digest`,
 *   `rivalled`.
 * - `pending`: taken, and not executed yet. Data: `digest`.
 * - `not-certified`: executed, and its Pulse has no certificate yet. Data: `pulse`.
 * - `memory-elsewhere`: atoms of a log are not on this machine. Data: `log`, `held`, `committed`.
 * - `memory-sealed`: the log does not grow any more. Data: `log`.
 * - `not-proven`: what the node says does not hold by itself. Data: none.
 * - `fork`: two certified headers contradict each other. Data: `pulse`.
 * - `bad-encoding`: a certified header is proven to be over data that is none. Data: `pulse`.
 * - `withheld`: published data is not there. Data: `pulse`.
 * - `behind`: the node has not come as far as what is trusted. Data: `pulse`, `trusted`.
 * - `batch-open`: another batch of the wallet is not finished. Data: `batch`.
 * - `batch-made`: the wallet made these payments before. Data: `batch`.
 * - `deal-unfit`: a storage deal, as it stands or by its terms, is not one to act on. Data: none.
 * - `stalled`: sent, and no Pulse came for long: not known. Data: `digest`.
 * - `answer-lost`: sent, and the node stopped answering: not known. Data: `digest`.
 */
export type ClientErrorCode =
  | "node-unreachable"
  | "node-error"
  | "other-chain"
  | "not-devnet"
  | "argument"
  | "wallet-unknown"
  | "payee"
  | "no-money"
  | "not-enough"
  | "read-only"
  | "refused"
  | "not-found"
  | "transaction-hex"
  | "expired"
  | "taken"
  | "pending"
  | "not-certified"
  | "memory-elsewhere"
  | "memory-sealed"
  | "not-proven"
  | "fork"
  | "bad-encoding"
  | "withheld"
  | "behind"
  | "batch-open"
  | "batch-made"
  | "deal-unfit"
  | "stalled"
  | "answer-lost";

type ClientError = SionError<ClientErrorCode>;

function clientError(
  code: ClientErrorCode,
  message: string,
  data: Record<string, unknown>,
  cause?: unknown,
): ClientError {
  return new SionError(code, message, { data, ...(cause === undefined ? {} : { cause }) });
}

/** No connection, or no answer. */
export function nodeUnreachable(node: string, cause?: unknown): ClientError {
  return clientError(
    "node-unreachable",
    `no node answers at ${node}: start one with \`sion devnet\`, or give --node`,
    { node },
    cause,
  );
}

/** Something answers that speaks another language. */
export function noNode(node: string, cause?: unknown): ClientError {
  return clientError(
    "node-error",
    `what answers at ${node} is no sion node of this version: give --node`,
    { node },
    cause,
  );
}

/** The beginnings of two identities by which they differ, of eight digits or more. */
function toldApart(one: string, other: string): readonly [string, string] {
  let digits = 8;
  while (digits < one.length && one.slice(0, digits) === other.slice(0, digits)) digits++;
  return [one.slice(0, digits), other.slice(0, digits)];
}

/** A faucet was asked of a chain that has none. */
export function noFaucet(): ClientError {
  return clientError("not-devnet", "this chain has no faucet: it is no devnet", {});
}

/** The pinned identity and the node's differ. */
export function otherChain(chain: string, pinned: string): ClientError {
  const [served, wanted] = toldApart(chain, pinned);
  return clientError(
    "other-chain",
    `this node serves chain ${served}, not the pinned ${wanted}: ` +
      "give the --node of your chain",
    { chain, pinned },
  );
}

/** A signed transaction is for another chain than the node's. */
export function forOtherChain(chain: string, meant: string): ClientError {
  const [served, wanted] = toldApart(chain, meant);
  return clientError(
    "other-chain",
    `the transaction is for chain ${wanted}, this node serves ${served}: ` +
      "give the --node of its chain; nothing was sent",
    { chain, meant },
  );
}

/** A value that cannot be meant; the sentence says what is wrong and what to give. */
export function badArgument(message: string, cause?: unknown): ClientError {
  return clientError("argument", message, {}, cause);
}

/** No seed file, and the chain has no deterministic wallets. */
export function walletUnknown(wallet: string, meant: string | undefined): ClientError {
  return clientError(
    "wallet-unknown",
    `there is no wallet ${quoteOddWord(wallet)} here${
      didYouMean(meant)
    }: \`sion wallet list\` shows yours`,
    { wallet },
  );
}

/** Neither a name nor an account. */
export function badAccount(text: string, sending: boolean): ClientError {
  const nearly = accountFault(text);
  if (nearly !== undefined) {
    const sentence = `${nearly}: check it${sending ? "; nothing was sent" : ""}`;
    return clientError("payee", sentence, { text });
  }
  const shown = quoteOddWord(text.length > 72 ? `${text.slice(0, 72)}…` : text);
  return clientError(
    "payee",
    `${shown} is neither a wallet name nor an account: give a name or 64 hex digits` +
      (sending ? "; nothing was sent" : ""),
    { text },
  );
}

/** The account holds nothing. */
export function noMoney(
  name: string,
  account: string,
  options: { readonly devnet: boolean; readonly meant: string | undefined },
): ClientError {
  const remedy = options.devnet
    ? `\`sion faucet ${name} 10\` gives it some`
    : "send it some first; nothing was sent";
  return clientError(
    "no-money",
    `${name} has no money on this chain${didYouMean(options.meant)}: ${remedy}`,
    { account },
  );
}

/** A keyless agent's account is empty; `wallet` signs for it. */
export function noFeeMoney(called: string, wallet: string, account: string): ClientError {
  return clientError(
    "no-money",
    `${called} has no fee money: \`sion pay ${wallet} ${account} 0.01\` gives it some`,
    { account },
  );
}

/** The account holds less than spending and fee together. Amounts in micro-USD. */
export function notEnough(name: string, has: bigint, spend: bigint, fee: bigint): ClientError {
  const needs = spend + fee;
  const parts = spend === 0n
    ? `the fee of ${formatUsd(fee)}`
    : `${formatUsd(spend)} and the fee of ${formatUsd(fee)}`;
  const remedy = spend === 0n ? "add money" : "pay less or add money";
  return clientError(
    "not-enough",
    `${name} has ${formatUsd(has)} USD, this needs ${formatUsd(needs)} (${parts}): ` +
      `${remedy}; nothing was sent`,
    { has, needs },
  );
}

/** The node will not vote for it. */
export function refusedByNode(reason: string, digest: string): ClientError {
  return clientError(
    "refused",
    `the node refused the transaction: ${reason}; nothing was done`,
    { digest },
  );
}

/** What answers takes no transactions. */
export function readOnlyNode(node: string): ClientError {
  return clientError(
    "read-only",
    `${node} is a gateway, which takes no transactions: give the --node of a node; nothing was sent`,
    { node },
  );
}

/** The ledger has no such thing; the sentence says which. */
export function notFound(message: string): ClientError {
  return clientError("not-found", message, {});
}

/** The text is not the hex of a signed transaction. */
export function badTransactionHex(why: string, cause?: unknown): ClientError {
  return clientError(
    "transaction-hex",
    `this is no signed transaction, ${why}: give the hex that \`sion pay --offline\` prints`,
    {},
    cause,
  );
}

/** The last Pulse it could execute in has passed. */
export function expired(digest: string, validUntil: bigint): ClientError {
  return clientError(
    "expired",
    `transaction ${shortId(digest)} was not executed by Pulse ${validUntil} and never will be: ` +
      "make it anew; it cost nothing",
    { digest },
  );
}

/**
 * Its slot went to another transaction of the same account.
 * @param rivalled whether the node had said so when the unit was handed in.
 */
export function taken(digest: string, wallet: string, rivalled: boolean): ClientError {
  return clientError(
    "taken",
    `another transaction of ${wallet} took the place of ${shortId(digest)}: ` +
      "make it anew; it cost nothing",
    { digest, rivalled },
  );
}

/** The node has it, and no Pulse has executed it. */
export function stillPending(digest: string, final: boolean): ClientError {
  const state = final ? "is final and not executed yet" : "is not executed yet";
  return clientError(
    "pending",
    `transaction ${shortId(digest)} ${state}: ask again, with --wait to wait for it`,
    { digest },
  );
}

/** Executed, and nothing proves it yet. */
export function notCertified(pulse: number, certified: number): ClientError {
  return clientError(
    "not-certified",
    `what Pulse ${pulse} executed is not certified yet, only Pulse ${certified} is: ` +
      "ask again in a moment",
    { pulse },
  );
}

/** This machine's file of a log does not have all that the log has committed. */
export function memoryElsewhere(log: string, held: number, committed: number): ClientError {
  return clientError(
    "memory-elsewhere",
    `this machine has ${held} of the ${committed} atoms that memory log ${shortId(log)} has ` +
      "committed: use the machine that remembered them, or copy its file here",
    { log, held, committed },
  );
}

/** The log does not grow any more. */
export function memorySealed(log: string): ClientError {
  return clientError(
    "memory-sealed",
    `memory log ${shortId(log)} is sealed: open another one`,
    { log },
  );
}

/** A node's word that its own proofs do not bear out. */
export function notProven(what: string, why: string, cause?: unknown): ClientError {
  return clientError(
    "not-proven",
    `${what} is not proven, ${why}: do not rely on it, ask another node`,
    {},
    cause,
  );
}

/** Over a third of the stake lies. */
export function forkSeen(pulse: number, why: string): ClientError {
  return clientError(
    "fork",
    `the chain has forked at Pulse ${pulse}, ${why}: trust neither side, both headers are kept`,
    { pulse },
  );
}

/** A quorum signed a header over data that cannot be. */
export function badEncoding(pulse: number): ClientError {
  return clientError(
    "bad-encoding",
    `data that Pulse ${pulse} is certified over is proven to be wrongly encoded, its header is ` +
      "refused for ever: trust nothing after it, ask another node",
    { pulse },
  );
}

/** Shares that a certified header promises did not come. */
export function withheld(pulse: number, why: string): ClientError {
  return clientError(
    "withheld",
    `data that Pulse ${pulse} published is withheld, ${why}: ask another node`,
    { pulse },
  );
}

/** The node knows less than this machine. */
export function nodeBehind(pulse: number, trusted: number): ClientError {
  return clientError(
    "behind",
    `the node has certified Pulse ${pulse}, Pulse ${trusted} is trusted here: ask another node, ` +
      "or again later",
    { pulse, trusted },
  );
}

/** One batch at a time: whoever gives another list may mean the one that was broken off. */
export function batchOpen(wallet: string, batch: string, payments: number): ClientError {
  return clientError(
    "batch-open",
    `${wallet} has begun batch ${shortId(batch)} of ${payments} payments and not finished it: ` +
      "give that list again to go on with it, or --again to give it up; nothing was sent",
    { batch },
  );
}

/** The same payments in the same order. */
export function batchMade(
  wallet: string,
  { batch, payments, day }: { batch: string; payments: number; day: string },
): ClientError {
  return clientError(
    "batch-made",
    `${wallet} made these ${payments} payments before, on ${day} as batch ${shortId(batch)}: ` +
      "give --again to make them once more; nothing was sent",
    { batch },
  );
}

/** A deal that the ledger would not let be accepted or proven now, or that is not taken here. */
export function dealUnfit(why: string): ClientError {
  return clientError("deal-unfit", why, {});
}

/** Sent, and no answer since. */
export function answerLost(digest: string, accepted: boolean, cause?: unknown): ClientError {
  const when = accepted
    ? `after it took ${shortId(digest)}`
    : `while it was handed ${shortId(digest)}`;
  return clientError(
    "answer-lost",
    `the node stopped answering ${when}: ask \`sion receipt ${digest}\`, do not pay again`,
    { digest },
    cause,
  );
}

/** Sent, and the chain stands still. */
export function chainStalled(digest: string, seconds: number): ClientError {
  return clientError(
    "stalled",
    `the chain has not moved for ${seconds} s, ${shortId(digest)} was sent and may still ` +
      `execute: ask \`sion receipt ${digest}\`, do not pay again`,
    { digest },
  );
}

/** The node has nobody to hand it to. */
export function notHandedOn(digest: string, cause: unknown): ClientError {
  return clientError(
    "answer-lost",
    `this node is connected to no validator, ${shortId(digest)} waits here: give another ` +
      `--node, ask \`sion receipt ${digest}\`, do not pay again`,
    { digest },
    cause,
  );
}

/** An error with the place in a list that it is about before its sentence. */
export function atPlace(error: unknown, where: string): unknown {
  if (!(error instanceof SionError)) return error;
  return new SionError(error.code, `${where}: ${error.message}`, {
    data: error.data,
    cause: error,
  });
}

function didYouMean(meant: string | undefined): string {
  return meant === undefined ? "" : `, did you mean ${meant}`;
}
