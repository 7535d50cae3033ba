/**
 * Storage deals: a client has a file kept, a provider proves round after round that it is. Files are read
 * and written piece by piece; what comes is checked against the root that the ledger holds.
 */
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ACCEPTANCE_PULSES,
  DEFAULT_CHALLENGES,
  DEFAULT_ROUND_PULSES,
  DEFAULT_VALIDITY_PULSES,
  idBytes,
  shortId,
  SionError,
} from "#internal/core/mod.ts";
import type { ShownLeaf } from "#internal/ledger/mod.ts";
import type { FileErrorCode } from "#internal/runtime/mod.ts";
import {
  ensureFolder,
  isTaken,
  lockFolder,
  openLargeFile,
  pathExists,
  receiveFile,
} from "#internal/runtime/mod.ts";
import type { KeptFiles } from "#internal/store/mod.ts";
import { openKeptFiles } from "#internal/store/mod.ts";
import { accountMeant, accountNamed } from "./accounts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import type { DealObject } from "./deals.ts";
import { acceptanceFault, closingFault, findDeal, roundFault } from "./deals.ts";
import { badArgument, dealUnfit } from "./errors.ts";
import { filePieces } from "./locators.ts";
import type {
  DealAcceptance,
  DealClosing,
  DealFetch,
  FetchedFile,
  NewDeal,
  PostedDeal,
  RoundProof,
} from "./storage_types.ts";
import { makeOne, signingPlace, transactOne } from "./transact.ts";
import type { Abortable, Action, Outcome } from "./types.ts";

/** Posts a deal about a file, which is read once. */
export async function postDeal(context: Context, given: NewDeal): Promise<PostedDeal> {
  const { rounds, roundLength = DEFAULT_ROUND_PULSES, challenges = DEFAULT_CHALLENGES } = given;
  const facts = await chainFacts(context, given.signal);
  const provider = given.provider === undefined ? null : await accountMeant(
    context,
    facts,
    given.provider,
    "only that account can accept the deal",
    given.signal,
  );
  const path = resolve(given.path);
  const locator = locatorOf(given, path);
  if (provider === null && locator === null) {
    throw badArgument(
      "an open deal says where providers get the file: give a locator, or that it is local",
    );
  }
  const { size, root } = await summaryOf(context, path, given);
  const { leafCount } = await import("#internal/ledger/mod.ts");
  const escrow = given.price * BigInt(rounds);
  const place = await signingPlace(context, facts, given.wallet, given);
  const head = Math.max(place.view.pulse, Number(facts.head));
  const body = {
    provider,
    size: BigInt(size),
    root,
    locator,
    price: given.price,
    rounds: BigInt(rounds),
    length: BigInt(roundLength),
    challenges,
    collateral: given.collateral ?? (provider === null ? escrow : 0n),
    acceptBy: BigInt(head + (given.acceptWithin ?? ACCEPTANCE_PULSES)),
  };
  const outcome = await makeOne(place, { kind: "storage_post", body }, given);
  return { ...outcome, leaves: Number(leafCount(BigInt(size))), root };
}

function locatorOf({ locator, local = false }: NewDeal, path: string): string | null {
  if (locator === undefined) return local ? pathToFileURL(path).href : null;
  if (local) throw badArgument("a deal has one locator: give a URL, or that it is local");
  const url = URL.parse(locator);
  if (url?.protocol !== "https:") {
    throw badArgument(
      `${JSON.stringify(locator)} is no locator: give an https:// URL that serves the file`,
    );
  }
  return url.href;
}

/** The size of a file and the root over it, in the memory of one block. */
async function summaryOf(
  context: Context,
  path: string,
  { onRead, signal }: Pick<NewDeal, "onRead" | "signal">,
): Promise<{ readonly size: number; readonly root: string }> {
  const { FileHasher } = await import("#internal/ledger/mod.ts");
  const shown = context.shown(path);
  await using file = await openLargeFile(path, shown);
  if (file === undefined) throw badArgument(`there is no file ${shown}: check the path`);
  const hasher = new FileHasher();
  try {
    for await (const piece of file.pieces(signal)) {
      hasher.add(piece);
      onRead?.(hasher.size, file.sizeBytes);
      context.waiting(`the root of ${shown}, ${percent(hasher.size, file.sizeBytes)}`);
    }
  } finally {
    context.waiting(undefined);
  }
  if (hasher.size === 0) throw badArgument(`${shown} is empty: there is nothing to keep`);
  return { size: hasher.size, root: hasher.end() };
}

/** How far something is, for what is waited for. */
export function percent(done: number, of: number): string {
  return `${of === 0 ? 100 : Math.min(100, Math.floor((100 * done) / of))} %`;
}

/** Closes a deal; the ledger says whether that may be. */
export async function closeDeal(context: Context, closing: DealClosing): Promise<Outcome> {
  const deal = await findDeal(context, closing.deal, withSignal(closing.signal));
  const facts = await chainFacts(context, closing.signal);
  const place = await signingPlace(context, facts, closing.wallet, closing);
  if (closing.foresee === true) {
    // What is sent now executes in the next Pulse at the earliest.
    const fault = await closingFault(deal, place.signer.account, place.view.pulse + 1);
    if (fault !== undefined) throw dealUnfit(`${fault}; nothing was sent`);
  }
  return await makeOne(place, { kind: "storage_close", body: { deal: deal.id } }, closing);
}

/** Gets the file of a deal, unless it is here, and accepts the deal. */
export async function acceptDeal(context: Context, given: DealAcceptance): Promise<Outcome> {
  const options = withSignal(given.signal);
  const deal = await findDeal(context, given.deal, options);
  const facts = await chainFacts(context, given.signal);
  const { account } = await accountNamed(context, facts, given.wallet, true);
  const unfit = acceptanceFault(deal, account, Number(facts.head));
  if (unfit !== undefined) throw dealUnfit(unfit);
  await using folder = await openProviderFolder(context, given.dir);
  await fetchKept(context, folder.files, deal, {
    keeper: account,
    where: given.from ?? deal.locator ?? undefined,
    isOwnWord: given.from !== undefined,
    ...given,
  });
  return await transactOne(context, given, acceptanceOf(deal));
}

/** The transaction that accepts a deal. */
export function acceptanceOf({ id, collateral }: DealObject): Action {
  return { kind: "storage_accept", body: { deal: id, collateral } };
}

/** Proves the round that is under way. */
export async function proveRound(context: Context, given: RoundProof): Promise<Outcome> {
  const deal = await findDeal(context, given.deal, withSignal(given.signal));
  const facts = await chainFacts(context, given.signal);
  const fault = roundFault(deal, Number(facts.head));
  if (fault !== undefined) throw dealUnfit(fault);
  await using folder = await openProviderFolder(context, given.dir);
  if (deal.provider !== null && await folder.files.sizeOf(deal.id) !== undefined) {
    await folder.files.claim(deal.id, deal.provider);
  }
  const proof = await proofOf(context, folder.files, deal, given.signal);
  return await transactOne(context, {
    validForPulses: validity(proof.lastPulse, Number(facts.head)),
    ...given,
  }, proof.action);
}

/** So long as the round lasts, where a proof counts. */
export function validity(lastPulse: number, head: number): number {
  return Math.max(1, Math.min(DEFAULT_VALIDITY_PULSES, lastPulse - head));
}

/** A proof that is ready to be signed. */
export interface ReadyProof {
  readonly action: Action;
  readonly round: number;
  /** The last Pulse that it counts in. */
  readonly lastPulse: number;
}

/**
 * The proof of the round under way, from the kept file.
 * @throws {SionError} `file-damaged`, `deal-unfit`
 */
export async function proofOf(
  context: Context,
  files: KeptFiles,
  deal: DealObject,
  signal?: AbortSignal,
): Promise<ReadyProof> {
  const { beaconSlot, challengedLeaves } = await import("#internal/ledger/mod.ts");
  const { state, id, size, root, challenges, roundLength } = deal;
  if (state.phase !== "active" || state.round === null || state.roundStart === null) {
    throw new TypeError(`No round of storage deal ${id} is under way`);
  }
  const { round, roundStart } = state;
  const slot = beaconSlot(BigInt(roundStart));
  const kept = await context.rpc.object({ id: slot }, withSignal(signal));
  const beacon = kept.exists ? kept.object as { pulse: number; beacon: string } : undefined;
  if (beacon === undefined || Number(beacon.pulse) !== roundStart) {
    throw dealUnfit(
      `the challenge of round ${round} is not drawn yet: it is by Pulse ${roundStart}, wait for it`,
    );
  }
  const terms = { deal: id, size, challenges };
  const places = challengedLeaves(idBytes(beacon.beacon), terms, BigInt(round));
  const leaves: readonly ShownLeaf[] = await files.show({ deal: id, size, root }, places);
  return {
    action: { kind: "storage_prove", body: { deal: id, round: BigInt(round), leaves } },
    round,
    lastPulse: roundStart + roundLength - 1,
  };
}

/** Gets a deal's file and puts it at a path, once it is found to be the one. */
export async function fetchFile(context: Context, given: DealFetch): Promise<FetchedFile> {
  const deal = await findDeal(context, given.deal, withSignal(given.signal));
  const { id, size, root, leaves } = deal;
  const to = resolve(given.to);
  await requireNew(context, to);
  const where = await servedAt(context, given.from, id) ?? deal.locator ?? undefined;
  if (where === undefined) {
    throw badArgument(
      `storage deal ${shortId(id)} does not say where its file is: give --from`,
    );
  }
  const { FileHasher } = await import("#internal/ledger/mod.ts");
  const hasher = new FileHasher();
  const pieces = filePieces(context, {
    where,
    mostBytes: Number(size),
    isOwnWord: given.from !== undefined,
    allowPrivate: given.allowPrivate,
    signal: given.signal,
  });
  await receiveFile(to, told(context, pieces, Number(size), (piece) => hasher.add(piece)), () => {
    if (BigInt(hasher.size) === size && hasher.end() === root) return Promise.resolve();
    throw new SionError(
      "other-file",
      `what ${where} has is not the file of storage deal ${shortId(id)}: nothing was kept, ` +
        "give another --from",
    );
  });
  return { bytes: Number(size), deal: id, from: where, leaves, root };
}

/** Nothing is at a path, not even a link that leads nowhere, and a file can be put there. */
async function requireNew(context: Context, path: string): Promise<void> {
  if (await isTaken(path)) {
    throw new SionError<FileErrorCode>(
      "file-exists",
      `${context.shown(path)} exists already: give another path`,
    );
  }
  const folder = dirname(path);
  if (await pathExists(folder)) return;
  throw badArgument(`there is no folder ${context.shown(folder)}: make it, or give another path`);
}

/** A provider's address or folder becomes the place of a deal's file there. */
async function servedAt(
  context: Context,
  from: string | undefined,
  deal: string,
): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const url = /^https?:\/\//i.test(from) ? URL.parse(from) : null;
  if (url !== null) return url.pathname === "/" ? new URL(`/${deal}`, url).href : from;
  const kept = openKeptFiles(resolve(from)).pathOf(deal);
  if (await pathExists(kept)) return kept;
  const stats = await stat(resolve(from)).catch(() => undefined);
  if (stats?.isDirectory() !== true) return from;
  throw badArgument(
    `${context.shown(resolve(from))} has no file of storage deal ${shortId(deal)}: ` +
      "give another --from",
  );
}

/** Where a deal's file may come from, and for whom. */
interface KeptSource extends Abortable {
  /** The account that keeps it. */
  readonly keeper: string;
  /** Fetch it although one is here, which stays until another has come whole. @default false */
  readonly anew?: boolean;
  readonly where: string | undefined;
  readonly isOwnWord: boolean;
  readonly local?: readonly string[];
  readonly allowPrivate?: boolean;
}

/** Gets the file of a deal into a provider's folder, unless it is there. True when it was fetched. */
export async function fetchKept(
  context: Context,
  files: KeptFiles,
  deal: DealObject,
  source: KeptSource,
): Promise<boolean> {
  const { id, size, root } = deal;
  const terms = { deal: id, size, root };
  await files.claim(id, source.keeper);
  if (source.anew !== true && await files.sizeOf(id) !== undefined) {
    // What is there was whole once: a look at its ends tells most of what can have become of it.
    const isStill = await files.show(terms, [0n, BigInt(deal.leaves) - 1n])
      .then(() => true, (error: unknown) => {
        if (error instanceof SionError && error.code === "file-damaged") return false;
        throw error;
      });
    if (isStill) return false;
  }
  if (source.where === undefined) {
    throw dealUnfit(
      `storage deal ${shortId(id)} does not say where its file is: give --from`,
    );
  }
  const pieces = filePieces(context, {
    where: source.where,
    mostBytes: Number(size),
    isOwnWord: source.isOwnWord,
    local: source.local,
    allowPrivate: source.allowPrivate,
    signal: source.signal,
  });
  await files.receive(terms, told(context, pieces, Number(size)));
  return true;
}

/** Says how far something that comes piece by piece is. */
async function* told(
  context: Context,
  pieces: AsyncIterable<Uint8Array>,
  total: number,
  onPiece: (piece: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      onPiece(piece);
      context.waiting(`the file, ${percent(size, total)}`);
      yield piece;
    }
  } finally {
    context.waiting(undefined);
  }
}

/** A provider's folder, held by this process. */
export interface ProviderFolder extends AsyncDisposable {
  readonly files: KeptFiles;
  readonly path: string;
}

/** Opens a provider's folder. @throws {SionError} `folder-locked` */
export async function openProviderFolder(
  context: Context,
  dir: string | undefined,
): Promise<ProviderFolder> {
  const path = dir === undefined ? join(context.home, "storage") : resolve(dir);
  await ensureFolder(path);
  const lock = await lockFolder(path, context.shown(path));
  return {
    files: openKeptFiles(path, context.shown),
    path,
    [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
  };
}
