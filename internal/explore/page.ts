/** What a page declares: its address and how it is made. Each is a file in `pages/` and a line there. */
import type { Client } from "#internal/client/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import type { Html } from "./html.ts";
import type { Watch } from "./watch.ts";

/** What a page is made from. */
export interface PageContext {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly watch: Watch;
  /** The part of the address that `:` stands for; empty where there is none. */
  readonly param: string;
  readonly query: URLSearchParams;
  /** Names of accounts that this machine knows. */
  readonly names: (id: string) => string | undefined;
  /** When it is asked for, ms. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A page that was made. */
export interface Page {
  /** Its first heading and the window's title. */
  readonly title: string;
  readonly main: Html;
  /** @default 200 */
  readonly status?: number;
}

/** Another address to go to. */
export interface Elsewhere {
  readonly location: string;
}

/** A kind of page. */
export interface PageKind {
  /** `/tx/:`, of which the last part may be anything. */
  readonly path: string;
  /** The entry of the menu that it belongs to. */
  readonly section?: string;
  /** @throws {SionError} what there is no page of: its sentence is the page */
  make(context: PageContext): Promise<Page | Elsewhere>;
}

/** Declares a kind of page. */
export function definePage(kind: PageKind): PageKind {
  return kind;
}
