/** What a client offers of storage deals. */
import type { AccountId, ObjectId } from "#internal/core/mod.ts";
import type { Abortable, Foreseeing, Outcome, SignOptions } from "./outcome_types.ts";

/** A deal to be posted. */
export interface NewDeal extends SignOptions {
  readonly wallet: string;
  /** The file to have kept. */
  readonly path: string;
  /** Micro-USD of a proven round. */
  readonly price: bigint;
  readonly rounds: number;
  /** Pulses. @default 16 */
  readonly roundLength?: number;
  /** Leaves drawn a round. @default 4 */
  readonly challenges?: number;
  /** Micro-USD. @default the escrow, or 0 for a named provider */
  readonly collateral?: bigint;
  /** Wallet name or account. @default whoever wants to */
  readonly provider?: string;
  /** An `https://` URL that serves the file. */
  readonly locator?: string;
  /** Without a locator: the file itself, for a provider of this machine. @default false */
  readonly local?: boolean;
  /** Pulses from now that it can be accepted in. @default 200 */
  readonly acceptWithin?: number;
  /** Called as the file is read. */
  readonly onRead?: (bytes: number, ofBytes: number) => void;
}

/** What came of a post. */
export interface PostedDeal extends Outcome {
  readonly leaves: number;
  /** Of the tree over the file: 64 hex digits. */
  readonly root: string;
}

/** How a deal stands, as `sion_storage_deals` shows it. Amounts are decimal USD. */
export type DealState =
  | { readonly phase: "open" }
  | {
    readonly phase: "active";
    /** The Pulse that its last round ends with. */
    readonly ends: number;
    readonly missed: number;
    readonly proven: number;
    /** The round under way, from 1; null before the first and after the last. */
    readonly round: number | null;
    /** The Pulse that it ends with. */
    readonly round_ends: number | null;
  }
  | {
    readonly phase: "closed";
    /** The Pulse it was closed in. */
    readonly at: number;
    readonly forfeited: string;
    readonly missed: number;
    readonly proven: number;
    readonly refund: string;
  };

/** A deal, as `sion_storage_deals` shows it. Amounts are decimal USD. */
export type DealValue = {
  /** The last Pulse it can be accepted in. */
  readonly accept_by: number;
  readonly challenges: number;
  readonly client: AccountId;
  readonly collateral: string;
  readonly deal: ObjectId;
  readonly escrow: string;
  readonly leaves: number;
  readonly locator: string | null;
  readonly price: string;
  readonly provider: AccountId | null;
  readonly root: string;
  readonly round_length: number;
  readonly rounds: number;
  readonly state: DealState;
};

/** Where the file of a deal comes from. */
export interface FileSource {
  /** A path, or an `https:` or `http:` URL. @default the deal's locator */
  readonly from?: string;
  /** Take what private addresses serve too. @default false */
  readonly allowPrivate?: boolean;
}

/** A deal of a provider's: an id, or the beginning of one. */
interface ProvidedDeal extends SignOptions {
  readonly wallet: string;
  readonly deal: string;
  /** The folder that files are kept in. @default `$SION_HOME/storage` */
  readonly dir?: string;
}

/** Accepts a deal, once its file is here. */
export interface DealAcceptance extends ProvidedDeal, FileSource {}

/** Proves the round that is under way. */
export interface RoundProof extends ProvidedDeal {}

/** Closes a deal. */
export interface DealClosing extends Foreseeing {
  readonly wallet: string;
  readonly deal: string;
}

/** Gets a file back. */
export interface DealFetch extends FileSource, Abortable {
  readonly deal: string;
  /** Where the file is put, over nothing. */
  readonly to: string;
}

/** What was fetched. */
export interface FetchedFile {
  readonly bytes: number;
  readonly deal: ObjectId;
  readonly from: string;
  readonly leaves: number;
  readonly root: string;
}

/** Which deals a provider takes unattended. */
export interface ProviderTerms {
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Bytes of all files together. */
  readonly maxTotalBytes: number;
  /** Micro-USD of a proven round, at least. */
  readonly minPrice: bigint;
  /** Micro-USD, at most. */
  readonly maxCollateral: bigint;
  /** Accounts or wallet names whose deals are taken. @default anybody's */
  readonly clients?: readonly string[];
  /** Folders of this machine in which `file:///` locators may lead to. @default none */
  readonly local?: readonly string[];
  /** Take what private addresses serve too. @default false */
  readonly allowPrivate?: boolean;
}

/** Something that a provider did, or did not do. */
export type ProviderEvent = {
  readonly kind: "accepted" | "proven" | "closed" | "passed-over" | "fetched" | "failed";
  readonly deal: ObjectId;
  /** A sentence about it, without the deal at its beginning. */
  readonly text: string;
};

/** A provider that runs until its signal aborts. */
export interface ProviderOptions extends Abortable {
  readonly wallet: string;
  /** The folder that files are kept in. @default `$SION_HOME/storage` */
  readonly dir?: string;
  readonly terms: ProviderTerms;
  /** Serve the kept files there, each by its deal's id. @default nowhere */
  readonly listen?: { readonly host: string; readonly port: number };
  /** It has found what it keeps and goes to work. @param url where it serves files, if it does */
  readonly onReady?: (url: string | undefined) => void;
  readonly onEvent?: (event: ProviderEvent) => void;
}

/** Storage deals. */
export interface StorageCalls {
  /**
   * Posts a deal. The file is read once, and never leaves this machine.
   * @throws {SionError} `argument`
   */
  post(deal: NewDeal): Promise<PostedDeal>;
  deals(options?: { readonly open?: boolean } & Abortable): Promise<readonly DealValue[]>;
  deal(id: string, options?: Abortable): Promise<DealValue>;
  /** @throws {SionError} `download`, `other-file`, `deal-unfit`, `folder-locked` */
  accept(acceptance: DealAcceptance): Promise<Outcome>;
  /** @throws {SionError} `file-damaged`, `deal-unfit`, `folder-locked` */
  prove(proof: RoundProof): Promise<Outcome>;
  close(closing: DealClosing): Promise<Outcome>;
  /** @throws {SionError} `download`, `other-file`, `file-exists` */
  fetch(fetch: DealFetch): Promise<FetchedFile>;
  /**
   * Accepts deals that meet the terms, proves their rounds, closes those that are over, until the
   * signal aborts. After whatever end, it goes on from its folder and the ledger.
   * @throws {SionError} `folder-locked`, `wallet-unknown`, `no-money`, `other-chain`
   */
  provide(options: ProviderOptions): Promise<void>;
}
