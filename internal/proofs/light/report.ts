/**
 * A Pulse verified as a light client does: nine checks, a line each, in the words that tools and
 * scripts know. A line ends in ✓ when its check holds and in ✗ when it does not; the second states
 * facts and has only the latter. What cannot be judged because of an earlier line says so.
 */
import { decode, equalBytes, shortId, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Ledger, Receipt } from "#internal/ledger/mod.ts";
import { accountKey, accountKind } from "#internal/ledger/mod.ts";
import { EMPTY_ROOT } from "#internal/merkle/mod.ts";
import { sampleCoordinates, SAMPLES, verifySamples } from "../availability.ts";
import type { KnownOrigin } from "../chain_origin.ts";
import type { Header } from "../header.ts";
import { headerCodec, headerDigest } from "../header.ts";
import { shownQuorum, shownStake } from "../validator_set.ts";
import type { SessionConfig } from "../session_config.ts";
import { isLastOfSession } from "../session_rules.ts";
import type { ChainView, ReadHeader } from "./chain_view.ts";
import { askOrigin, chainView } from "./chain_view.ts";
import type { Published } from "./contents.ts";
import { countReceipts, orderFault, readPublished, readReceipts, reasonOf } from "./contents.ts";
import type { KnownSession } from "./session_walk.ts";
import { locksFault, locksPageCodec } from "./lane_locks.ts";
import type { LightSource } from "./source.ts";
import { notServed } from "./source.ts";
import { stateProofCodec, verifyStateProof } from "./state_proof.ts";
import type { WorldVerifier } from "./world_verifier.ts";
import { foundWrongData, servedWrongData } from "./wrong_data.ts";

/** What a verification came to; the value of `sion_verify_pulse`. */
export type PulseReport = {
  /** Whether the chain identity was given from outside. */
  readonly pinned: boolean;
  /** Nine lines. */
  readonly report: readonly string[];
  /** True when all nine checks hold. */
  readonly verified: boolean;
};

/** How a Pulse is verified. */
export interface VerifyOptions {
  readonly source: LightSource;
  /** The Pulse, from 1. */
  readonly number: number;
  /** Chain identity to insist on, 64 hex digits. Without one the node vouches for itself. */
  readonly pinned?: string;
  readonly ledger: Ledger;
  /** Verifies signatures of this kind of chain; asked for once the origin says which. */
  readonly backend: (origin: KnownOrigin) => Promise<DualBackend>;
  /** 32 random bytes that the node cannot know. */
  readonly seed: Uint8Array;
  /** Executes the Pulse again; without one the eighth check fails. */
  readonly world?: WorldVerifier;
  /** Digests of headers that were refused before. @default none */
  readonly refused?: ReadonlyMap<string, number>;
  /** Told of a proof that the header's data root stands for no data. */
  readonly onWrongData?: (header: Header, proof: Uint8Array) => void;
  /** Told how many of the nine checks are done. */
  readonly onCheck?: (done: number) => void;
}

/** A line of the report. */
interface Line {
  readonly ok: boolean;
  readonly text: string;
}

const holds = (text: string): Line => ({ ok: true, text: `${text} ✓` });
const fails = (name: string, reason: string): Line => ({ ok: false, text: `${name}: ${reason} ✗` });

/** Runs the nine checks. Only what prevents a verdict is thrown: no connection, an abort. */
export async function verifyPulse(options: VerifyOptions): Promise<PulseReport> {
  const { source, pinned, number } = options;
  const lines: Line[] = [];
  const add = (...added: Line[]): void => {
    lines.push(...added);
    options.onCheck?.(lines.length);
  };
  const finish = (): PulseReport => {
    const rest = NAMES.slice(lines.length)
      .map((name) => ({ ok: false, text: `${name}: not checked, a line above does not hold` }));
    const all = [...lines, ...rest];
    return {
      pinned: pinned !== undefined,
      report: all.map(({ text }) => text),
      verified: all.every(({ ok }) => ok),
    };
  };
  const chain = await attempt("chain", () => chainOf(source, pinned));
  add(chain.line);
  if (chain.value === undefined) return finish();
  const backend = await options.backend(chain.value);
  const view = chainView(chain.value, { source, backend });
  const read = await attempt(`Pulse ${number}`, () => headerOf(view, number, options.refused));
  add(read.line);
  if (read.value === undefined) return finish();
  const certified = await attempt("certificate", () => certificateOf(read.value as ReadHeader));
  add(certified.line);
  if (!certified.line.ok) return finish();
  const checks = new Checks(view, read.value, backend, options);
  add(forcedLine(read.value.header));
  const contents = await checks.contents();
  add(contents.line, await checks.state(contents.receipts));
  add(await checks.availability(contents));
  add(await checks.world(contents.published, contents.missing));
  add(await checks.locks(contents));
  return finish();
}

/** What each line begins with. */
const NAMES = [
  "chain",
  "Pulse",
  "certificate",
  "forced inclusion",
  "receipts",
  "state",
  "availability",
  "world proof",
  "lane certificates",
] as const;

/** Turns a refusal of the node into the line that it fails. */
async function attempt<T>(
  name: string,
  check: () => Promise<{ readonly line: Line; readonly value?: T }>,
): Promise<{ readonly line: Line; readonly value?: T }> {
  try {
    return await check();
  } catch (thrown) {
    return { line: fails(name, reasonOf(thrown)) };
  }
}

async function chainOf(
  source: LightSource,
  pinned: string | undefined,
): Promise<{ line: Line; value?: KnownOrigin }> {
  const origin = await askOrigin(source);
  const id = shortId(origin.chain);
  if (pinned !== undefined && origin.chain !== pinned) {
    return {
      line: fails("chain", `this node serves ${id}, not the pinned ${shortId(pinned)}`),
    };
  }
  const whose = pinned === undefined
    ? "is what the node says, no identity is pinned"
    : "matches the pinned identity";
  const validators = origin.committee.members.length;
  const text = `chain: ${id} ${whose}; ${validators} validators, keys derive their identifiers`;
  return { line: holds(text), value: origin };
}

async function headerOf(
  view: ChainView,
  number: number,
  refused: VerifyOptions["refused"],
): Promise<{ line: Line; value?: ReadHeader }> {
  const read = await view.readHeader(number);
  const { header } = read;
  if (refused?.has(toHex(headerDigest(header))) === true) {
    const reason = "its header was refused here, its data is proven to be wrongly encoded";
    return { line: fails(`Pulse ${number}`, reason) };
  }
  const [digest, state, knowledge] = [headerDigest(header), header.stateRoot, header.knowledgeRoot]
    .map((hash) => shortId(toHex(hash)));
  const text =
    `Pulse ${number} header ${digest} (state root ${state}, knowledge root ${knowledge}, ` +
    `${header.knowledgeSize} claims)`;
  return { line: { ok: true, text }, value: read };
}

async function certificateOf({ session, verify }: ReadHeader): Promise<{ line: Line }> {
  const verdict = await verify();
  if (!verdict.ok) return { line: fails("certificate", verdict.reason) };
  const { total, quorum } = session.committee;
  const scheme = session.config.parameters.insecure
    ? "each signature insecure, for tests only"
    : "each signature ML-DSA-44 + SLH-DSA-SHA2-128f";
  const signed = `${shownStake(verdict.weight)} of ${shownStake(total)} stake signed ` +
    `(quorum ${shownQuorum(quorum)})`;
  return { line: holds(`certificate: ${signed}, ${scheme}`) };
}

/** Line 4, of a certified header. */
export function forcedLine(
  { forcedPending, forcedOverdue, forcedRoot }: Pick<
    Header,
    "forcedPending" | "forcedOverdue" | "forcedRoot"
  >,
): Line {
  const name = "forced inclusion";
  if (forcedOverdue > forcedPending) return fails(name, "more are overdue than there are");
  if ((forcedPending === 0) !== equalBytes(forcedRoot, EMPTY_ROOT)) {
    return fails(name, "the count is not that under the root");
  }
  const pending = `(${forcedPending - forcedOverdue} pending within their deadline)`;
  return forcedOverdue === 0
    ? holds(`${name}: no overdue intents ${pending}`)
    : fails(name, `${forcedOverdue} overdue intents ${pending}`);
}

/** What the lines on a Pulse's contents share. */
interface Contents {
  readonly line: Line;
  readonly receipts: readonly Receipt[];
  /** Undefined when the data does not hold: `missing` says why. */
  readonly published: Published | undefined;
  readonly missing: string;
}

/** The checks under a certified header. Each fails by itself. */
class Checks {
  readonly #view: ChainView;
  readonly #header: Header;
  readonly #session: KnownSession;
  readonly #backend: DualBackend;
  readonly #options: VerifyOptions;
  #before: Header | undefined;

  constructor(view: ChainView, read: ReadHeader, backend: DualBackend, options: VerifyOptions) {
    this.#view = view;
    this.#header = read.header;
    this.#session = read.session;
    this.#backend = backend;
    this.#options = options;
  }

  /** Data and receipts are fetched together: neither says what executed without the other. */
  async contents(): Promise<Contents> {
    const { source, ledger, number } = this.#options;
    const name = "receipts";
    let published: Published | undefined;
    let missing = "";
    try {
      const before = await this.#headerBefore();
      const { committee } = this.#session;
      const context = { header: this.#header, before, committee, ledger };
      published = readPublished(await source.data(number), context);
    } catch (thrown) {
      missing = reasonOf(thrown);
    }
    try {
      const receipts = readReceipts(await source.receipts(number), this.#header, ledger);
      const fault = published === undefined
        ? `their order is not known: ${missing}`
        : orderFault(receipts, published, this.#header);
      const { transactions } = countReceipts(receipts);
      const proven =
        `${transactions} of ${transactions} transactions proven against the receipts ` +
        "root, in the certified order";
      const line = fault === undefined ? holds(`${name}: ${proven}`) : fails(name, fault);
      return { line, receipts, published, missing };
    } catch (thrown) {
      return { line: fails(name, reasonOf(thrown)), receipts: [], published, missing };
    }
  }

  async #headerBefore(): Promise<Header> {
    if (this.#before !== undefined) return this.#before;
    const { source, number } = this.#options;
    const header = number === 1
      ? this.#view.origin.header
      : decode(headerCodec, await source.bareHeader(number - 1));
    if (!equalBytes(headerDigest(header), this.#header.previous)) {
      throw notServed(`the header before is not the one that Pulse ${number} names`);
    }
    return this.#before = header;
  }

  /** The config of the session that begins after this Pulse, if it is the last of its own. */
  async #nextConfig(): Promise<SessionConfig | undefined> {
    if (!isLastOfSession(this.#header)) return undefined;
    return (await this.#view.session(this.#header.session + 1)).config;
  }

  /** The account of the Pulse's first receipt; any account that the node likes of an empty one. */
  async state(receipts: readonly Receipt[]): Promise<Line> {
    const { source, ledger, number } = this.#options;
    const account = receipts[0]?.account;
    const key = account === undefined ? undefined : accountKey(account);
    try {
      const proof = decode(stateProofCodec, await source.state(number, key));
      if (key !== undefined && proof.key !== key) return fails("state", "another object is proven");
      const { shards } = this.#session.config.parameters;
      if (!verifyStateProof(this.#header.stateRoot, shards, proof)) {
        return fails("state", "the object is not under the state root");
      }
      if (proof.object === null) return fails("state", "the account is shown to be absent");
      if (ledger.decodeObject(proof.object).kind !== accountKind.name) {
        return fails("state", "the object is no account");
      }
      return holds("state: an account object proven against the state root");
    } catch (thrown) {
      return fails("state", reasonOf(thrown));
    }
  }

  /** Whether a proof shows that the data root stands for no data. */
  async #isWrong({ published }: Contents): Promise<boolean> {
    const { source, onWrongData } = this.#options;
    const proof = await servedWrongData(this.#header, source) ??
      // Data that does not fit its root is either another's, or none could.
      (published === undefined ? await foundWrongData(this.#header, source) : undefined);
    if (proof !== undefined) onWrongData?.(this.#header, proof);
    return proof !== undefined;
  }

  async availability(contents: Contents): Promise<Line> {
    const { source, number, seed } = this.#options;
    if (await this.#isWrong(contents)) {
      return fails("availability", "a proof shows that the certified data is wrongly encoded");
    }
    const places = sampleCoordinates(seed);
    try {
      const answers = await source.shares(number, places);
      const verdict = verifySamples(this.#header, places, answers);
      if (!verdict.ok) {
        const { verified, reason } = verdict;
        return fails("availability", `${verified} of ${SAMPLES} random shares verified: ${reason}`);
      }
      return holds(
        `availability: ${verdict.verified} of ${SAMPLES} random shares of the 16×16 square ` +
          "verified; a withholding would go unnoticed with probability " + verdict.bound.text,
      );
    } catch (thrown) {
      return fails("availability", reasonOf(thrown));
    }
  }

  async world(published: Published | undefined, missing: string): Promise<Line> {
    const { source, number, world } = this.#options;
    const name = "world proof";
    if (published === undefined) return fails(name, missing);
    try {
      const before = await this.#headerBefore();
      const witness = await source.world(number);
      if (witness === undefined || world === undefined) return fails(name, "none is served");
      const { parameters } = this.#session.config;
      const { ordered } = published;
      const [header, backend] = [this.#header, this.#backend];
      const next = await this.#nextConfig();
      const claim = { header, before, ordered, parameters, next, witness, backend };
      const verdict = await world(claim);
      if (!verdict.ok) return fails(name, verdict.reason);
      const stacks = verdict.stacks.map((stack) => `"${stack}"`).join(", ");
      const size = `${Math.ceil(published.bytes / 1000)} KB`;
      return holds(
        `${name}: ${verdict.leaves} leaves re-verified by stack [${stacks}]; the published data is ` +
          "what executed and encodes to the certified data root " +
          `(${size}; replay proofs simulate succinct ones)`,
      );
    } catch (thrown) {
      return fails(name, reasonOf(thrown));
    }
  }

  async locks({ published, receipts, missing }: Contents): Promise<Line> {
    const { source, number } = this.#options;
    const name = "lane certificates";
    if (published === undefined) return fails(name, missing);
    const { executed } = published;
    const context = {
      header: this.#header,
      sessionOf: (session: number) => this.#view.known(session),
      chain: this.#view.chain,
      backend: this.#backend,
    };
    try {
      for (let from = 0; from < executed.length;) {
        const page = decode(locksPageCodec, await source.locks(number, from));
        const { length } = page.locks;
        if (length === 0 || from + length > executed.length) {
          return fails(name, "locks are missing");
        }
        const fault = await locksFault(page, executed.slice(from, from + length), context);
        if (fault !== undefined) return fails(name, fault);
        from += length;
      }
    } catch (thrown) {
      return fails(name, reasonOf(thrown));
    }
    const counts = countReceipts(receipts);
    const settled = counts.void === 0 ? "" : `; ${counts.void} slots settled by a quorum's Stops`;
    return holds(
      `${name}: all ${executedTransactions(published)} executed transactions locked their inputs ` +
        "with a quorum of their shard's committee, taken from the proven validator set" + settled,
    );
  }
}

function executedTransactions({ executed }: Published): number {
  return executed.reduce(
    (sum, entry) => sum + (entry.type === "unit" ? entry.unit.members.length : 0),
    0,
  );
}
