/** A validator's store at start: made, checked against the chain, and read back. */
import type { Logger } from "#internal/core/mod.ts";
import { decode, equalBytes, SionError, toHex } from "#internal/core/mod.ts";
import type { Restored, StoredBlock } from "#internal/consensus/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import { restoreState } from "#internal/ledger/mod.ts";
import { EMPTY_LOG, logAppend } from "#internal/merkle/mod.ts";
import type { Genesis, GenesisFacts, Header } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, headerCodec } from "#internal/proofs/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { openNodeState } from "#internal/store/mod.ts";
import { NodeError } from "./errors.ts";
import { allKeptObjects } from "./kept_objects.ts";
import type { NodePlace } from "./node_key.ts";

/** Where a node's store is, and whether it is to be made with its key. */
export interface OpenStoreOptions {
  readonly place: NodePlace;
  /** The store is to be made: only ever before the chain begins. */
  readonly fresh: boolean;
  /** The folder that messages name. */
  readonly shown: string;
  readonly logger: Logger;
}

/**
 * A node's store; an empty one that names no key when its own is lost, or when it has none. `known`
 * is false then: a key without its store might sign a second time what it signed before, so it must
 * only follow, and the caller says so.
 * @throws {SionError} `newer-data`; {NodeError} `other-chain`, `other-format`, `argument`
 */
export function openStore(
  { place, shown, fresh, logger }: OpenStoreOptions,
  facts: GenesisFacts,
  ledger: Ledger,
): { store: NodeState; known: boolean } {
  const store = openNodeState(place.database, {
    shown,
    fresh: {
      identity: {
        store: fresh ? place.key?.store ?? "" : "",
        chain: facts.chain,
        format: FORMAT_VERSION,
      },
      objects: allKeptObjects(facts.state, ledger),
    },
    onBoundAnew: (chain) =>
      logger.log(
        "warn",
        `The store of ${place.name} was of chain ${
          chain.slice(0, 8)
        }, in which it signed nothing, ` +
          `and is of ${facts.chain.slice(0, 8)} now`,
      ),
  });
  if (store === undefined) throw new TypeError("Cannot make a store");
  const { identity: kept } = store;
  try {
    if (kept.format !== FORMAT_VERSION) {
      throw new NodeError(
        "other-format",
        `${shown} has format ${kept.format}, this sion has ${FORMAT_VERSION}: give another --dir`,
      );
    }
    if (kept.chain !== facts.chain) {
      throw new NodeError(
        "other-chain",
        `the store of ${place.name} in ${shown} is of another chain: give another --dir`,
      );
    }
    if (place.key === undefined && kept.store !== "") {
      throw new NodeError(
        "argument",
        `${place.shown} is the store of a validator's key: give its --key, or another --dir`,
      );
    }
  } catch (error) {
    store[Symbol.dispose]();
    throw error;
  }
  return { store, known: place.key !== undefined && kept.store === place.key.store };
}

/** What an earlier run's store is read back with. */
export interface RestoreOptions {
  readonly store: NodeState;
  readonly facts: GenesisFacts;
  readonly ledger: Ledger;
  readonly genesis: Genesis;
  /** Where the store is. */
  readonly place: NodePlace;
}

/** What an earlier run left, its blocks in any case. */
type RestoredWhole = Restored & { readonly blocks: readonly StoredBlock[] };

/**
 * What an earlier run left, in the state machine's terms.
 * @throws {NodeError} `folder-damaged` when the objects are not those of the newest header, or
 * anything in the store is not what sion wrote.
 */
export function restoredFrom(from: RestoreOptions): RestoredWhole {
  try {
    return readBack(from);
  } catch (cause) {
    // Errors of SQLite and of the disk have words of their own.
    if (!(cause instanceof SionError)) throw cause;
    throw new NodeError(
      "folder-damaged",
      `the store of ${from.place.name}, ${from.place.shown}, is damaged (${cause.message}): ` +
        "give another --dir",
      { cause },
    );
  }
}

function readBack({ store, facts, ledger, genesis }: RestoreOptions): RestoredWhole {
  const newest = store.newestPulse();
  const header = newest === undefined ? facts.header : decode(headerCodec, newest.header);
  const state = newest === undefined ? facts.state : restoreState(ledger, {
    shards: genesis.shards,
    objects: store.objects(),
    knowledge: [...store.knowledge()].reduce(logAppend, EMPTY_LOG),
  });
  if (!equalBytes(state.root(), header.stateRoot)) {
    throw new NodeError(
      "folder-damaged",
      `its state is not that of Pulse ${header.number}, ` +
        toHex(header.stateRoot).slice(0, 8),
    );
  }
  const certified = store.newestCertificate();
  const tail = store.tail();
  const own = store.newestOwnBlock();
  return {
    header,
    state,
    ...(tail === undefined ? {} : { tail: tail.bytes }),
    blocks: [...store.blocksOfRounds(tail?.keepFrom ?? 0, Number.MAX_SAFE_INTEGER)],
    unit: (form) => store.unit(form),
    ...(own === undefined ? {} : { own }),
    rows: store.ownRows(),
    certified,
    uncertified: uncertifiedHeaders(store, certified, Number(header.number)),
  };
}

function uncertifiedHeaders(store: NodeState, certified: number, newest: number): Header[] {
  const headers: Header[] = [];
  for (let number = certified + 1; number <= newest; number++) {
    const bytes = store.header(number);
    if (bytes !== undefined) headers.push(decode(headerCodec, bytes));
  }
  return headers;
}
