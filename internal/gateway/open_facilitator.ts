/** A facilitator with its book, for whoever settles in a process of their own. */
import type { Client } from "#internal/client/mod.ts";
import type { Clock, Logger } from "#internal/core/mod.ts";
import { USD } from "#internal/ledger/mod.ts";
import type { SettlementBook } from "#internal/store/mod.ts";
import { openSettlementBook } from "#internal/store/mod.ts";
import type { Facilitator } from "./facilitator.ts";
import { createFacilitator } from "./facilitator.ts";

/** What a facilitator is made of. */
export interface OpenFacilitatorOptions {
  readonly client: Client;
  /** Folder of the payments that were taken. */
  readonly dir: string;
  /** As messages name it. */
  readonly shownDir?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A facilitator and the file that it keeps. Disposing of it closes the file. */
export interface OpenFacilitator extends Facilitator, Disposable {
  /** Identity of the chain that payments are on. */
  readonly chain: string;
  readonly book: SettlementBook;
}

/**
 * Opens a facilitator of the chain that the client's node serves.
 * @throws {SionError} `node-unreachable`, `other-chain`, `newer-data`
 */
export async function openFacilitator(options: OpenFacilitatorOptions): Promise<OpenFacilitator> {
  const { client, clock, logger } = options;
  const { chain } = await client.status();
  const book = openSettlementBook(options.dir, options.shownDir);
  const facilitator = createFacilitator({
    chain,
    usd: USD,
    book,
    clock,
    logger,
    lookUp: (digest, waitMs) => client.provenTransaction(digest, { waitMs, chain }),
  });
  return { ...facilitator, chain, book, [Symbol.dispose]: () => book.close() };
}
