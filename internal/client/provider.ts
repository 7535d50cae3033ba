/**
 * A provider that works unattended. It keeps no notes of its own: what there is to do follows from the
 * ledger's deals and the files of its folder, so it goes on after whatever ended it. A transaction that
 * was signed and not seen through is finished before another is signed, as everywhere.
 */
import { formatUsd, messageOf, SionError } from "#internal/core/mod.ts";
import { codeOf, serveFiles, sleep } from "#internal/runtime/mod.ts";
import type { FileServer } from "#internal/runtime/mod.ts";
import type { KeptFiles } from "#internal/store/mod.ts";
import { storeFault } from "#internal/store/mod.ts";
import { accountNamed, signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import type { DealObject } from "./deals.ts";
import { acceptanceFault, DEAL_KIND, dealOf, roundFault, transactionsToCome } from "./deals.ts";
import { dealUnfit } from "./errors.ts";
import { feeOf, usdOf } from "./lane.ts";
import { listObjects } from "./objects.ts";
import type { Job } from "./provider_jobs.ts";
import { isPassing, ProviderJobs } from "./provider_jobs.ts";
import { hostOf, termsFault } from "./provider_terms.ts";
import type { ReadyProof } from "./storage.ts";
import { acceptanceOf, fetchKept, openProviderFolder, proofOf, validity } from "./storage.ts";
import type { ProviderEvent, ProviderOptions, ProviderTerms } from "./storage_types.ts";
import { signingPlace, transactOne } from "./transact.ts";
import type { Abortable, Action, Outcome } from "./types.ts";

/** How often the node is asked for a new Pulse, ms. */
const POLL_MS = 500;
/** How long a node that does not answer is left alone, ms. */
const RETRY_MS = 2_000;
/** All deals are looked through anew this often, Pulses: events may have been missed. */
const LOOK_PULSES = 256;
/** Files that are fetched at a time. */
const MAX_FETCHES = 4;
/** Pulses that an acceptance takes: later than this before its end a deal is left alone. */
const ACCEPTANCE_MARGIN = 3;
const MENDED = "its file was lost or damaged here, and is whole again";
/** Events of deals name it so. */
const DEAL_EVENTS: ReadonlySet<string> = new Set(["DealPosted", "DealAccepted", "DealClosed"]);

/** Runs a provider until its signal aborts. */
export async function provide(context: Context, options: ProviderOptions): Promise<void> {
  const facts = await chainFacts(context, options.signal);
  await signerNamed(context, facts, options.wallet);
  // Finishes what an earlier process signed, and says at once when there is no money for fees.
  const { signer: { account } } = await signingPlace(context, facts, options.wallet, options);
  await using folder = await openProviderFolder(context, options.dir);
  const clients = await clientsOf(context, facts, options.terms);
  const provider = new Provider(context, options, { account, clients, files: folder.files });
  await using server = await serverOf(options, folder.files);
  await provider.run(() => options.onReady?.(server?.url));
}

async function clientsOf(
  context: Context,
  facts: ChainFacts,
  { clients }: ProviderTerms,
): Promise<ReadonlySet<string> | undefined> {
  if (clients === undefined) return undefined;
  const accounts = clients.map(async (text) =>
    (await accountNamed(context, facts, text, false)).account
  );
  return new Set(await Promise.all(accounts));
}

async function serverOf(
  { listen }: ProviderOptions,
  files: KeptFiles,
): Promise<FileServer | undefined> {
  if (listen === undefined) return undefined;
  return await serveFiles({
    ...listen,
    async find(name) {
      if (!/^[0-9a-f]{64}$/.test(name)) return undefined;
      const sizeBytes = await files.sizeOf(name);
      return sizeBytes === undefined ? undefined : { path: files.pathOf(name), sizeBytes };
    },
  });
}

/** What a provider works with. */
interface ProviderParts {
  readonly account: string;
  /** Whose deals are taken; undefined: anybody's. */
  readonly clients: ReadonlySet<string> | undefined;
  readonly files: KeptFiles;
}

class Provider {
  readonly #context: Context;
  readonly #options: ProviderOptions;
  readonly #parts: ProviderParts;
  readonly #jobs: ProviderJobs;
  /** Files that are on their way: the bytes that they will have, and the host that serves them. */
  readonly #coming = new Map<string, { readonly bytes: number; readonly host: string }>();
  /** Deals of this provider's that are not closed. */
  readonly #active = new Map<string, DealObject>();
  /** Acceptances come one after the other: each counts the money that the one before has left. */
  #accepting: Promise<unknown> = Promise.resolve();
  #looked = -Infinity;
  #seen = 0;

  constructor(context: Context, options: ProviderOptions, parts: ProviderParts) {
    this.#context = context;
    this.#options = options;
    this.#parts = parts;
    this.#jobs = new ProviderJobs({
      work: (job) => this.#work(job),
      isStopped: () => this.#signal?.aborted === true,
      onFailed: ({ id, notBefore }, error) => {
        const why = this.#sentenceOf(error);
        this.#tell("failed", id, `${why}; tried again at Pulse ${notBefore}`);
      },
    });
  }

  get #signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** Works until the signal aborts. What is under way then is given up and left for the next start. */
  async run(onReady: () => void): Promise<void> {
    let isReady = false;
    try {
      while (this.#signal?.aborted !== true) {
        this.#jobs.throwFatal();
        const waitMs = await this.#turn();
        if (!isReady && waitMs === POLL_MS) {
          isReady = true;
          onReady();
        }
        await sleep(waitMs, this.#signal);
      }
    } catch (error) {
      if (this.#signal?.aborted !== true) throw error;
    } finally {
      await this.#jobs.ended();
    }
  }

  /** Looks once; how long to wait before the next look, ms. */
  async #turn(): Promise<number> {
    try {
      const { pulse } = await this.#context.rpc.status({}, this.#abortable());
      if (pulse !== this.#seen) await this.#look(pulse);
      this.#seen = pulse;
      this.#context.waiting(undefined);
    } catch (error) {
      if (this.#signal?.aborted === true) throw error;
      if (!isPassing(error)) throw error;
      this.#context.waiting(`the node at ${this.#context.node} (${codeOf(error)})`);
      return RETRY_MS;
    }
    this.#jobs.startAll(this.#seen);
    return POLL_MS;
  }

  /** Finds deals: all of them now and then, else those of which events tell. */
  async #look(pulse: number): Promise<void> {
    if (pulse - this.#looked >= LOOK_PULSES || pulse < this.#seen) {
      const all = await listObjects(this.#context, DEAL_KIND, undefined, this.#abortable());
      const deals = all.map(dealOf);
      for (const deal of deals) {
        if (this.#keeps(deal, pulse)) this.#jobs.wake(deal.id);
        this.#note(deal);
      }
      await this.#removeLeftOvers(deals, pulse);
      this.#looked = pulse;
      return;
    }
    for (const id of await this.#told(this.#seen + 1)) this.#jobs.wake(id);
  }

  /** Deals that events from a Pulse on tell of. */
  async #told(from: number): Promise<ReadonlySet<string>> {
    const deals = new Set<string>();
    let place = { from, skip: 0 };
    for (;;) {
      const page = await this.#context.rpc.events(place, this.#abortable());
      if (page.events.length === 0) return deals;
      for (const { event } of page.events) {
        const [[name, fields] = ["", null]] = Object.entries(event as Record<string, unknown>);
        const deal = (fields as { readonly deal?: unknown } | null)?.deal;
        if (DEAL_EVENTS.has(name) && typeof deal === "string") deals.add(deal);
      }
      place = page.next;
    }
  }

  /** Files of deals that are over for this provider go; of what the ledger does not know they stay. */
  async #removeLeftOvers(deals: readonly DealObject[], pulse: number): Promise<void> {
    const known = new Map(deals.map((deal) => [deal.id, deal]));
    for (const id of await this.#parts.files.begun()) {
      const deal = known.get(id);
      if (deal !== undefined && !this.#keeps(deal, pulse)) await this.#remove(deal);
    }
  }

  /** Removes a deal's file, unless another account keeps it in the same folder. */
  async #remove({ id, provider }: DealObject): Promise<void> {
    const { files, account } = this.#parts;
    if ((await files.keeperOf(id) ?? provider) === account) await files.remove(id);
  }

  /** Remembers which deals are this provider's. */
  #note(deal: DealObject): void {
    const isOwn = deal.state.phase === "active" && deal.provider === this.#parts.account;
    if (isOwn) this.#active.set(deal.id, deal);
    else this.#active.delete(deal.id);
  }

  /** Whether there is, or may be, something to do about a deal. */
  #keeps({ state, provider, acceptBy }: DealObject, pulse: number): boolean {
    if (state.phase === "open") return acceptBy > pulse;
    return state.phase === "active" && provider === this.#parts.account;
  }

  /** Does what there is to do about a deal at this Pulse, if there is something. */
  async #work(job: Job): Promise<void> {
    const found = await this.#context.rpc.object({ id: job.id }, this.#abortable());
    if (!found.exists || found.kind !== DEAL_KIND) return this.#jobs.drop(job.id);
    const deal = dealOf({ id: job.id, kind: DEAL_KIND, object: found.object as never });
    job.round = undefined;
    this.#note(deal);
    switch (deal.state.phase) {
      case "open":
        return await this.#accept(job, deal, found.pulse);
      case "active":
        if (deal.provider !== this.#parts.account) return await this.#drop(deal);
        return await this.#serve(job, deal, found.pulse);
      case "closed":
        return await this.#drop(deal);
    }
  }

  async #drop(deal: DealObject): Promise<void> {
    this.#jobs.drop(deal.id);
    await this.#remove(deal);
  }

  async #accept(job: Job, deal: DealObject, pulse: number): Promise<void> {
    if (acceptanceFault(deal, this.#parts.account, pulse + ACCEPTANCE_MARGIN) !== undefined) {
      return await this.#drop(deal);
    }
    const unfit = termsFault(deal, this.#options.terms, this.#parts.clients);
    if (unfit !== undefined) {
      this.#jobs.passOver(job.id);
      this.#tell("passed-over", job.id, unfit);
      return await this.#drop(deal);
    }
    const host = hostOf(deal);
    job.isCrowdedOut = this.#coming.size >= MAX_FETCHES ||
      [...this.#coming.values()].some((coming) => coming.host === host);
    if (job.isCrowdedOut) return;
    this.#coming.set(job.id, { bytes: Number(deal.size), host });
    try {
      await this.#requireRoom(deal);
      await this.#requireMoney(deal, pulse);
      const isNew = await this.#fetch(deal);
      if (isNew) this.#tell("fetched", job.id, `its file of ${deal.size} bytes is here`);
    } finally {
      this.#coming.delete(job.id);
      this.#jobs.lookAtCrowdedOut();
    }
    const outcome = await this.#inTurn(async () => {
      await this.#requireMoney(deal, pulse);
      const accepted = await this.#act(deal, "open", acceptanceOf(deal));
      // Its fees count from now on; its terms are all that is needed for that.
      if (accepted?.status === "Success") this.#active.set(deal.id, deal);
      return accepted;
    });
    if (outcome === undefined) return;
    if (outcome.status === "Success") this.#tell("accepted", job.id, outcome.receipt);
    else {
      // Somebody else was faster, or it was closed: what the ledger says next tells.
      this.#tell("failed", job.id, outcome.receipt);
    }
    job.failures = 0;
  }

  /** Proves the round under way, or closes what is over. */
  async #serve(job: Job, deal: DealObject, pulse: number): Promise<void> {
    const { state } = deal;
    if (state.phase !== "active") return;
    if (pulse >= state.end) {
      const action: Action = { kind: "storage_close", body: { deal: deal.id } };
      const outcome = await this.#act(deal, "active", action);
      if (outcome?.status !== "Success") return;
      this.#active.delete(deal.id);
      await this.#drop(deal);
      return this.#tell("closed", job.id, outcome.receipt);
    }
    const { round: current, roundStart, start } = state;
    if (roundFault(deal, pulse) !== undefined || current === job.refusedRound) {
      job.notBefore = roundStart === null ? start : roundStart + deal.roundLength;
      return;
    }
    if (roundStart !== null) {
      job.round = { length: deal.roundLength, end: roundStart + deal.roundLength };
    }
    const { action, round, lastPulse } = await this.#proof(deal);
    if (lastPulse <= pulse) return;
    const outcome = await this.#act(deal, "active", action, validity(lastPulse, pulse));
    if (outcome === undefined) return;
    if (outcome.status !== "Success") job.refusedRound = round;
    this.#tell(outcome.status === "Success" ? "proven" : "failed", job.id, outcome.receipt);
    job.failures = 0;
    job.round = undefined;
    // The round is safe: what its challenge did not show may be damaged all the same.
    if (await this.#fetch(deal)) this.#tell("fetched", job.id, MENDED);
  }

  /** The proof of the round under way. A file that is lost or damaged is fetched anew for it. */
  async #proof(deal: DealObject): Promise<ReadyProof> {
    const prove = (): Promise<ReadyProof> =>
      proofOf(this.#context, this.#parts.files, deal, this.#signal);
    try {
      return await prove();
    } catch (error) {
      const isLost = error instanceof SionError && error.code === "file-damaged";
      if (!isLost || deal.locator === null) throw error;
    }
    await this.#fetch(deal, true);
    this.#tell("fetched", deal.id, MENDED);
    return await prove();
  }

  /** Has a deal's file here. True when it came now. */
  async #fetch(deal: DealObject, anew = false): Promise<boolean> {
    const { allowPrivate = false, local = [] } = this.#options.terms;
    return await fetchKept(this.#context, this.#parts.files, deal, {
      keeper: this.#parts.account,
      anew,
      where: deal.locator ?? undefined,
      isOwnWord: false,
      local,
      allowPrivate,
      ...this.#abortable(),
    });
  }

  /**
   * Signs an action, unless what an earlier process had signed has changed the deal meanwhile: that is
   * finished first, and may be the same.
   */
  async #act(
    deal: DealObject,
    phase: DealObject["state"]["phase"],
    action: Action,
    validForPulses?: number,
  ): Promise<Outcome | undefined> {
    const options = {
      ...this.#abortable(),
      ...(validForPulses === undefined ? {} : { validForPulses }),
    };
    const facts = await chainFacts(this.#context, this.#signal);
    await signingPlace(this.#context, facts, this.#options.wallet, options);
    const now = await this.#context.rpc.object({ id: deal.id }, this.#abortable());
    const { state } = dealOf({ id: deal.id, kind: DEAL_KIND, object: now.object as never });
    const isSame = state.phase === phase &&
      (state.phase !== "active" || deal.state.phase !== "active" ||
        state.last === deal.state.last);
    return isSame
      ? await transactOne(this.#context, { ...options, wallet: this.#options.wallet }, action)
      : undefined;
  }

  /** Files go as deals end: there may be room later. */
  async #requireRoom({ id, size }: DealObject): Promise<void> {
    const { files } = this.#parts;
    let total = Number(size);
    for (const kept of await files.list()) {
      if (kept !== id && !this.#coming.has(kept)) total += await files.sizeOf(kept) ?? 0;
    }
    for (const [coming, { bytes }] of this.#coming) if (coming !== id) total += bytes;
    const { maxTotalBytes } = this.#options.terms;
    if (total <= maxTotalBytes) return;
    throw dealUnfit(
      `all files together would have ${total} bytes, over ${maxTotalBytes} (--max-total)`,
    );
  }

  /**
   * The collateral, and the fees of all that this deal and those under way still ask for: who cannot pay
   * for a proof loses the collateral.
   */
  async #requireMoney(deal: DealObject, pulse: number): Promise<void> {
    const { wallet } = this.#options;
    const facts = await chainFacts(this.#context, this.#signal);
    const place = await signingPlace(this.#context, facts, wallet, this.#abortable());
    // Proofs, acceptances and closings cost the same.
    const fee = await feeOf(place, acceptanceOf(deal));
    let transactions = 1;
    for (const one of [deal, ...this.#active.values()]) {
      transactions += transactionsToCome(one, pulse);
    }
    const has = usdOf(place.view) - place.view.reserved;
    const fees = fee * BigInt(transactions);
    if (has >= deal.collateral + fees) return;
    throw dealUnfit(
      `${wallet} has ${formatUsd(has)} USD, below its collateral of ${
        formatUsd(deal.collateral)
      } ` +
        `and the ${formatUsd(fees)} of fees that all deals need to their ends: add money`,
    );
  }

  /** Runs what is to run alone. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#accepting.then(run);
    this.#accepting = mine.catch(() => {});
    return mine;
  }

  /** What went wrong; of the machine's faults, with what to do about them. */
  #sentenceOf(error: unknown): string {
    const fault = error instanceof SionError ? undefined : storeFault(error);
    const { path } = error as { readonly path?: unknown };
    if (fault === undefined || typeof path !== "string") return messageOf(error);
    const { state, remedy = "see to its disk" } = fault;
    return `${this.#context.shown(path)} ${state}: ${remedy}`;
  }

  #tell(kind: ProviderEvent["kind"], deal: string, text: string): void {
    this.#options.onEvent?.({ kind, deal, text });
  }

  #abortable(): Abortable {
    return withSignal(this.#signal);
  }
}
