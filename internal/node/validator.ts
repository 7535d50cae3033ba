/**
 * One validator, put together: its state machine, store, verification, peers and answers to clients.
 * It runs in the thread that opens it and does no work before `start`.
 */
import type { Clock, Random } from "#internal/core/mod.ts";
import type { BlockCodec, Tuning, Validator } from "#internal/consensus/mod.ts";
import { createBlockCodec, createValidator, statementKinds } from "#internal/consensus/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, Unit } from "#internal/ledger/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { Committee, Genesis, GenesisFacts } from "#internal/proofs/mod.ts";
import { genesisOf, validatorId } from "#internal/proofs/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { isDevnet } from "#internal/rpc/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { createCalls } from "./calls.ts";
import { backendOf } from "./devnet_folder.ts";
import type { Address } from "./dialer.ts";
import type { DriverOptions } from "./driver.ts";
import { createDriver } from "./driver.ts";
import { createFaucet } from "./faucet.ts";
import type { IntakeOptions } from "./intake.ts";
import { createIntake } from "./intake.ts";
import { createJournal } from "./journal.ts";
import type { ValidatorParts } from "./parts.ts";
import { keyProofs, tokenProofs } from "./peer_proofs.ts";
import type { Peers, PeersOptions } from "./peers.ts";
import { openPeers } from "./peers.ts";
import type { OpenStoreOptions } from "./restore.ts";
import { openStore, restoredFrom } from "./restore.ts";
import type { WorldProver } from "./world_prover.ts";
import { createWorldProver } from "./world_prover.ts";

/** How a validator is opened. */
export interface OpenValidatorOptions extends OpenStoreOptions {
  readonly genesis: Genesis;
  readonly peering: Peering;
  readonly clock: Clock;
  readonly random: Random;
  readonly tuning?: Partial<Tuning>;
  /** Told each executed Pulse. */
  readonly onPulse?: (number: number) => void;
  /** Told the fault that ended the validator. */
  readonly onFault?: (error: unknown) => void;
}

/** How a validator meets its peers. */
export type Peering =
  /** On this machine, within one run: `token` is 32 bytes that all of its validators share. */
  | { readonly kind: "run"; readonly token: Uint8Array }
  /** Anywhere, by its key; `listen` is where others may connect. */
  | { readonly kind: "network"; readonly listen?: Address };

/** An open validator. Disposing of it stops it. */
export interface OpenValidator extends AsyncDisposable {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Port that peers connect to; undefined when nobody can. */
  readonly port: number | undefined;
  readonly calls: RpcCalls;
  /** Keeps connections to peers at these addresses, and lets the validator begin. */
  start(peers: readonly Address[]): void;
}

/**
 * Opens a validator in this thread.
 * @throws {SionError} `newer-data`; {NodeError} `other-chain`, `other-format`, `folder-damaged`
 */
export async function openValidator(options: OpenValidatorOptions): Promise<OpenValidator> {
  const { genesis, place } = options;
  const ledger = createLedger();
  const facts = genesisOf(genesis, ledger);
  const backend = await backendOf(genesis);
  const keys = await backend.keysFromSeed(place.seed);
  const { store, known } = openStore(options, facts, ledger);
  const opened = new AsyncDisposableStack();
  opened.defer(() => store[Symbol.dispose]());
  try {
    return await assemble({ options, ledger, facts, backend, keys, store, known }, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

interface Ingredients {
  readonly options: OpenValidatorOptions;
  readonly ledger: Ledger;
  readonly facts: GenesisFacts;
  readonly backend: DualBackend;
  readonly keys: Awaited<ReturnType<DualBackend["keysFromSeed"]>>;
  readonly store: NodeState;
  /** False when the key's own store is lost: then it only follows. */
  readonly known: boolean;
}

/** How this node greets its peers, and where they find it. */
function peeringOf(
  { options, backend, keys }: Pick<Ingredients, "options" | "backend" | "keys">,
  machine: () => Validator,
): Pick<PeersOptions, "self" | "proofs" | "keyOf" | "listen" | "maxFollowers" | "maySpare"> {
  const { peering, place, genesis, random } = options;
  const maySpare = (refused: readonly number[]): boolean => {
    const committee = machine().committeeOf(machine().status().session);
    return committee !== undefined && isQuorumWithout(committee, refused);
  };
  if (peering.kind === "run") {
    return {
      self: () => place.index,
      maySpare,
      proofs: tokenProofs(peering.token, genesis.validators.length),
      listen: { host: "127.0.0.1", port: 0 },
      maxFollowers: 0,
    };
  }
  const keyOf = (index: number): Uint8Array | undefined =>
    machine().session().validators[index]?.publicKey;
  const self = (): number | null => machine().self;
  return {
    self,
    proofs: keyProofs({
      backend,
      keyOf,
      keys: () => self() === null ? undefined : keys,
      random,
    }),
    keyOf,
    maySpare,
    ...(peering.listen === undefined ? {} : { listen: peering.listen }),
  };
}

/** What a driver does with peers. */
function spokenBy(
  peers: Peers,
): Pick<DriverOptions, "send" | "nearest" | "onSession" | "onInvalidBlock"> {
  return {
    send: (to, frame) => peers.send(to, frame),
    nearest: (peer) => peers.nearest(peer),
    onSession: () => peers.renew(),
    onInvalidBlock: (author) => peers.offend(author, "invalid-block"),
  };
}

/** What an intake tells of peers goes into their records. */
function judgedBy(peers: Peers): Pick<IntakeOptions, "onOffence" | "onUseless" | "takesWant"> {
  return {
    onOffence: (from, offence) => peers.offend(from, offence),
    onUseless: (from, bytes) => peers.sentUseless(from, bytes),
    takesWant: (from) => peers.takesWant(from),
  };
}

/** Whether all but these validators are a quorum. */
function isQuorumWithout({ members, isQuorum }: Committee, refused: readonly number[]): boolean {
  const left = members.reduce((mask, _, i) => refused.includes(i) ? mask : mask | (1 << i), 0);
  return isQuorum(left);
}

function proverOf(
  { options, ledger, facts, store }: Pick<Ingredients, "options" | "ledger" | "facts" | "store">,
  machine: Validator,
): WorldProver {
  return createWorldProver({
    ledger,
    store,
    parameters: facts.origin.config.parameters,
    first: facts.header,
    logger: options.logger,
    nowMs: () => options.clock.nowMs(),
    busy: () => machine.status().busy,
  });
}

function* unitsIn(
  store: NodeState,
  blocks: BlockCodec,
  [from, to]: readonly [number, number],
): Generator<Unit> {
  for (const { bytes, signature } of store.blocksOfRounds(from, to)) {
    yield* blocks.decode(bytes, signature).body.units.map(({ signed }) => signed.unit);
  }
}

async function assemble(
  { options, ledger, facts, backend, keys, store, known }: Ingredients,
  opened: AsyncDisposableStack,
): Promise<OpenValidator> {
  const { genesis, place, clock, random, logger } = options;
  const blocks = createBlockCodec(ledger, statementKinds);
  // What comes in is handled by what is made below, in the same turn of the thread.
  const peers = await openPeers({
    ...peeringOf({ options, backend, keys }, () => machine),
    chain: facts.chain,
    random,
    logger,
    onFrame: (from, frame) => intake.offerFrame(from, frame),
    onConnected: (peer) => driver.greet(peer),
  });
  opened.use(peers);
  const restored = restoredFrom(store, facts, ledger, genesis, options);
  const rounds = restored.blocks.map(({ round }) => round);
  const span = [rounds[0] ?? 0, rounds.at(-1) ?? 0] as const;
  const machine = createValidator({
    genesis,
    ledger,
    key: known ? keys.publicKey : null,
    chainSeed: taggedHash("sion/chain-seed/v1", place.seed),
    restored,
    ...(options.tuning === undefined ? {} : { tuning: options.tuning }),
  });
  const journal = createJournal(ledger, store, {
    standingOf: (unit) => machine.standing(unit),
    earlierUnits: () => unitsIn(store, blocks, span),
  });
  const prover = proverOf({ options, ledger, facts, store }, machine);
  opened.defer(() => prover.stop());
  const driver = createDriver({
    machine,
    ledger,
    store,
    journal,
    backend,
    keys: known ? keys : undefined,
    someAccount: genesis.accounts[0]?.[0] ?? facts.chain,
    clock,
    random,
    logger,
    ...spokenBy(peers),
    onPulse(number) {
      prover.executed(number);
      options.onPulse?.(number);
    },
    onFault: (error) => options.onFault?.(error),
  });
  opened.defer(() => driver.stop());
  const intake = createIntake({
    ledger,
    committeeOf: (session) => machine.committeeOf(session),
    peers: genesis.validators.length,
    backend,
    blocks,
    wants: (block) => machine.wants(block),
    onUnit: ({ unit }) => journal.seen(unit),
    onMessage: driver.onMessage,
    ...judgedBy(peers),
    onLoad: driver.onLoad,
    onFault: (error) => options.onFault?.(error),
  });
  opened.defer(() => {
    intake.close();
    journal.close();
  });
  const parts: ValidatorParts = {
    genesis,
    facts,
    ledger,
    backend,
    machine,
    store,
    journal,
    intake,
    keyId: validatorId(keys.publicKey),
    executed: driver.executed,
    proven: prover.proven,
    stateAt: driver.stateAt,
    submit: driver.submit,
  };
  const faucet = isDevnet(genesis.chainId) ? createFaucet(parts, random) : undefined;
  return {
    chain: facts.chain,
    port: peers.port,
    calls: createCalls(parts, faucet),
    start(addresses) {
      peers.connect(addresses);
      driver.start();
      prover.executed(Number(machine.header().number));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
