/** Verifying what a node says, as a light client: Pulses, receipts, the chain as it grows. */
import { join } from "node:path";
import type { JsonValue } from "#internal/core/mod.ts";
import { decode, encode, isHex64, shortId, SionError, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type {
  ChainView,
  Head,
  Header,
  KnownOrigin,
  LightSource,
  PulseReport,
} from "#internal/proofs/mod.ts";
import { codeOf, pathExists, sleep } from "#internal/runtime/mod.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import {
  badArgument,
  badEncoding,
  forkSeen,
  nodeBehind,
  notCertified,
  notProven,
  otherChain,
  withheld,
} from "./errors.ts";
import { exact } from "./exact.ts";
import { lightSource, proofsUnit } from "./proofs_unit.ts";
import type { Abortable, FollowedHead, ProvenStake, ReceiptProofValue } from "./types.ts";

/** How long a receipt's Pulse is waited for to be certified, and how often it is looked at, ms. */
const CERTIFICATE_WAIT_MS = 12_000;
const CERTIFICATE_RETRY_MS = 150;
/** How often a new head is looked for, ms. */
const FOLLOW_MS = 500;
/** How often the newest certified Pulse is asked for an object. */
const MAX_TRIES = 3;
/** Checks of a Pulse's report. */
const CHECKS = 9;

/** What the ledger is proven to hold under a key. */
interface ProvenObject {
  /** Null where it is shown to hold nothing. */
  readonly object:
    | { readonly kind: string; readonly view: Readonly<Record<string, JsonValue>> }
    | null;
  /** The Pulse whose state it is, and who signed for it. */
  readonly pulse: number;
  readonly certificate: ProvenStake;
  readonly pinned: boolean;
}

/** What is verified, and against which identity. */
export interface PulseRequest {
  /** @default the newest certified one */
  readonly pulse?: number;
  /** Chain identity to insist on. @default the client's */
  readonly chain?: string;
  /** Told the receipts that the fifth check is of. */
  readonly onReceipts?: (receipts: readonly Uint8Array[]) => void;
}

/** The nine checks of a Pulse. A node that lies gives a report, not an error. */
export async function verifyPulse(
  context: Context,
  request: PulseRequest,
  { signal }: Abortable = {},
): Promise<PulseReport> {
  const pinned = pinnedBy(context, request.chain);
  const { verifyPulse: verify, worldVerifier } = await proofsUnit();
  const number = request.pulse ??
    (await context.rpc.status({}, withSignal(signal))).certified_pulse;
  if (number < 1) {
    throw badArgument(
      request.pulse === undefined
        ? "no Pulse is certified here yet: try again in a moment"
        : "Pulse 0 is the chain's beginning, which its identity fixes: give a later one",
    );
  }
  const source = await lightSource(context.rpc, signal);
  const found: { header: Header; proof: Uint8Array }[] = [];
  try {
    const ledger = await context.ledger();
    const report = await verify({
      source: {
        ...source,
        async receipts(of) {
          const receipts = await source.receipts(of);
          request.onReceipts?.(receipts);
          return receipts;
        },
      },
      number,
      world: worldVerifier(ledger),
      ...(pinned === undefined ? {} : { pinned }),
      ledger,
      backend: backendFor(context),
      seed: context.random(32),
      refused: await refusedHere(context),
      onWrongData: (header, proof) => found.push({ header, proof }),
      onCheck: (done) => context.waiting(`proofs ${done} of ${CHECKS}`),
    });
    for (const { header, proof } of found) await refuseForEver(context, header, proof, source);
    return report;
  } finally {
    context.waiting(undefined);
  }
}

/** Headers that this machine refuses, of all chains; nothing is made to look. */
async function refusedHere(context: Context): Promise<ReadonlyMap<string, number>> {
  if (!await pathExists(join(context.home, "light.db"))) return new Map();
  const { openLightState } = await import("#internal/store/mod.ts");
  using kept = openLightState(context.home, context.shown(context.home));
  return kept.refused();
}

/** Keeps the proof, and hands it to the node so that others get it too. */
async function refuseForEver(
  context: Context,
  header: Header,
  proof: Uint8Array,
  source: LightSource,
): Promise<void> {
  const { headerDigest } = await proofsUnit();
  const { openLightState } = await import("#internal/store/mod.ts");
  const number = Number(header.number);
  {
    using kept = openLightState(context.home, context.shown(context.home));
    kept.refuse(toHex(header.chain), { number, header: toHex(headerDigest(header)), proof });
  }
  try {
    const bytes = toHex(await source.header(number));
    await context.rpc.report_bad_encoding({ header: bytes, number, proof: toHex(proof) });
  } catch (error) {
    // The proof is kept here; a node that does not want it is one that lies, or does not know how.
    if (!(error instanceof SionError)) throw error;
  }
}

/**
 * Proves the receipt that a node told of, once its Pulse is certified.
 * @throws {SionError} `not-proven`, `other-chain`, `not-certified`
 */
export async function proveTold(
  context: Context,
  digest: string,
  pulse: number,
  chain: string | undefined,
  { signal }: Abortable = {},
): Promise<ReceiptProofValue> {
  const pinned = pinnedBy(context, chain);
  const proofs = await proofsUnit();
  const source = await lightSource(context.rpc, signal);
  await waitForCertificate(context, pulse, signal);
  try {
    const origin = await proofs.askOrigin(source);
    if (pinned !== undefined && origin.chain !== pinned) throw otherChain(origin.chain, pinned);
    const backend = await backendFor(context)(origin);
    const view = proofs.chainView(origin, { source, backend });
    const ledger = await context.ledger();
    const { receipt, certificate } = await proofs.proveReceipt(digest, view, source, ledger);
    return {
      receipt,
      chain: origin.chain,
      pinned: pinned !== undefined,
      certificate: {
        quorum: exact(certificate.quorum),
        signed: exact(certificate.signed),
      },
    };
  } catch (error) {
    throw asNotProven(error, `the receipt of ${shortId(digest)}`);
  }
}

/**
 * An object that a node told of, proven under the newest certified Pulse, which comes after the one in
 * which it changed last.
 * @throws {SionError} `not-proven`, `other-chain`, `not-certified`
 */
export async function proveObjectTold(
  context: Context,
  id: string,
  changed: number,
  chain: string | undefined,
  { signal }: Abortable = {},
): Promise<ProvenObject> {
  const pinned = pinnedBy(context, chain);
  const proofs = await proofsUnit();
  const source = await lightSource(context.rpc, signal);
  await waitForCertificate(context, changed, signal);
  try {
    const origin = await proofs.askOrigin(source);
    if (pinned !== undefined && origin.chain !== pinned) throw otherChain(origin.chain, pinned);
    const backend = await backendFor(context)(origin);
    const view = proofs.chainView(origin, { source, backend });
    for (let tries = 1;; tries++) {
      const { certified_pulse: number } = await context.rpc.status({}, withSignal(signal));
      try {
        const { bytes, header, certificate } = await proofs.proveObject(id, number, view, source);
        const ledger = await context.ledger();
        const object = bytes === null ? null : ledger.decodeObject(bytes);
        const at = { pulse: header.number, timeMs: header.timeMs };
        return {
          object: object && { kind: object.kind, view: ledger.viewObject(object, at) },
          pulse: number,
          certificate: {
            quorum: exact(certificate.quorum),
            signed: exact(certificate.signed),
          },
          pinned: pinned !== undefined,
        };
      } catch (error) {
        // A node keeps the state of its newest certified Pulse, which may be another by now.
        if (tries === MAX_TRIES || codeOf(error) !== "not-served") throw error;
      }
    }
  } catch (error) {
    throw asNotProven(error, `what the ledger holds under ${shortId(id)}`);
  }
}

async function waitForCertificate(
  context: Context,
  pulse: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let waitedMs = 0;; waitedMs += CERTIFICATE_RETRY_MS) {
    const { certified_pulse } = await context.rpc.status({}, withSignal(signal));
    if (certified_pulse >= pulse) break;
    if (waitedMs >= CERTIFICATE_WAIT_MS) throw notCertified(pulse, certified_pulse);
    context.waiting(`the certificate of Pulse ${pulse}`);
    await sleep(CERTIFICATE_RETRY_MS, signal);
  }
  context.waiting(undefined);
}

/**
 * Follows the pinned chain from the head that this machine trusts: a value for each new head. Ends
 * after the first with `once`.
 * @throws {SionError} `not-proven`, `fork`, `withheld`, `behind`, `other-chain`
 */
export async function* followChain(
  context: Context,
  options: { readonly once?: boolean } & Abortable = {},
): AsyncGenerator<FollowedHead> {
  const { pinned } = context;
  if (pinned === undefined) throw badArgument("a chain to follow is needed: give --chain");
  const { signal } = options;
  const proofs = await proofsUnit();
  const { openLightState } = await import("#internal/store/mod.ts");
  const digestOf = ({ header }: Head): string => toHex(proofs.headerDigest(header));
  using kept = openLightState(context.home, context.shown(context.home));
  const source = await lightSource(context.rpc, signal);
  const start = await openView(context, pinned, kept.trusted(pinned), signal);
  const { view } = start;
  let { trusted } = start;
  for (;;) {
    const { certified_pulse: number } = await context.rpc.status({}, withSignal(signal));
    const at = Number(trusted?.header.number ?? 0n);
    if (number < at || (number === 0 && options.once === true)) {
      if (options.once === true) throw nodeBehind(number, at);
    } else if (number > at || options.once === true) {
      const again = number === at && trusted !== undefined;
      const step = await proofs.followTo({
        view,
        source,
        trusted: again ? undefined : trusted,
        number,
        refused: kept.refused(pinned),
        random: context.random,
      });
      if (step.type === "unproven") throw notProven(`Pulse ${number}`, step.reason);
      if (step.type === "bad-encoding") {
        if (step.proof !== undefined) {
          await refuseForEver(context, step.at, step.proof, source);
        }
        throw badEncoding(step.number);
      }
      if (step.type === "withheld") throw withheld(step.number, step.reason);
      const contradicts = step.type === "advanced" && again &&
        digestOf(step.head) !== digestOf(trusted as Head);
      if (step.type === "fork" || contradicts) {
        kept.keepFork(pinned, number, await source.header(number));
        throw forkSeen(at, step.type === "fork" ? step.reason : `two certified headers`);
      }
      const { header, session } = step.head;
      kept.trust(pinned, {
        number,
        header: encode(proofs.headerCodec, header),
        session: encode(proofs.sessionConfigCodec, session.config),
        after: session.after,
      });
      trusted = step.head;
      yield followedHead(step, digestOf(step.head));
      if (options.once === true) return;
    }
    await sleep(FOLLOW_MS, signal);
  }
}

function followedHead(
  step: { head: Head; signed: bigint; total: bigint; sampled: number },
  digest: string,
): FollowedHead {
  const { header } = step.head;
  return {
    claims: Number(header.knowledgeSize),
    header: digest,
    pulse: Number(header.number),
    sampled_pulses: step.sampled,
    session: header.session,
    signed: exact(step.signed),
    stake: exact(step.total),
  };
}

/** The view of a pinned chain, from what is trusted of it. */
async function openView(
  context: Context,
  pinned: string,
  kept:
    | { readonly header: Uint8Array; readonly session: Uint8Array; readonly after: number }
    | undefined,
  signal: AbortSignal | undefined,
): Promise<{ view: ChainView; trusted: Head | undefined }> {
  const proofs = await proofsUnit();
  const source = await lightSource(context.rpc, signal);
  try {
    const origin = await proofs.askOrigin(source);
    if (origin.chain !== pinned) throw otherChain(origin.chain, pinned);
    const backend = await backendFor(context)(origin);
    if (kept === undefined) {
      return { view: proofs.chainView(origin, { source, backend }), trusted: undefined };
    }
    const config = decode(proofs.sessionConfigCodec, kept.session);
    const from = { config, committee: proofs.committeeOf(config.validators), after: kept.after };
    const header = decode(proofs.headerCodec, kept.header);
    return {
      view: proofs.chainView(origin, { source, backend, from }),
      trusted: { header, session: from },
    };
  } catch (error) {
    throw asNotProven(error, "the chain's origin");
  }
}

function pinnedBy(context: Context, chain: string | undefined): string | undefined {
  if (chain !== undefined && !isHex64(chain)) {
    throw badArgument(`${chain} is no chain identity: give its 64 hex digits`);
  }
  return chain ?? context.pinned;
}

/** The signatures that a chain's parameters name. */
function backendFor(context: Context): (origin: KnownOrigin) => Promise<DualBackend> {
  return ({ config }) => context.keys.backend(config.parameters.insecure ? "insecure" : "dual");
}

function asNotProven(error: unknown, what: string): unknown {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  if (!(error instanceof Error) || (code !== "not-served" && code !== "codec")) return error;
  return notProven(what, error.message, error);
}
