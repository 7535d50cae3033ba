/**
 * One validator, put together: its state machine, store, verification, peers and answers to clients.
 * It runs in the thread that opens it and does no work before `start`.
 */
import type { Clock, Random } from "#internal/core/mod.ts";
import type { BlockCodec, Tuning, Validator } from "#internal/consensus/mod.ts";
import { createBlockCodec, createValidator, statementKinds } from "#internal/consensus/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, Unit } from "#internal/ledger/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { Committee, Genesis, GenesisFacts } from "#internal/proofs/mod.ts";
import { genesisOf, validatorId } from "#internal/proofs/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { isDevnet } from "#internal/rpc/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { createCalls } from "./calls.ts";
import type { Address } from "./dialer.ts";
import type { DriverOptions } from "./driver.ts";
import { createDriver } from "./driver.ts";
import { createFaucet } from "./faucet.ts";
import { backendOf } from "./genesis_file.ts";
import type { IntakeOptions } from "./intake.ts";
import { createIntake } from "./intake.ts";
import { createJournal } from "./journal.ts";
import type { ValidatorParts } from "./parts.ts";
import { keyProofs, tokenProofs } from "./peer_proofs.ts";
import type { Peers, PeersOptions } from "./peers.ts";
import { openPeers } from "./peers.ts";
import { createRelay } from "./relay.ts";
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
  /**
   * On this machine, within one run: by its place among the validators, and 32 bytes that all of
   * them share.
   */
  | { readonly kind: "run"; readonly index: number; readonly token: Uint8Array }
  /** Anywhere, by its key; `listen` is where others may connect. */
  | { readonly kind: "network"; readonly listen?: Address };

/** An open validator. Disposing of it stops it. */
export interface OpenValidator extends AsyncDisposable {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Its index in the committee as it was opened; null when it only follows. */
  readonly self: number | null;
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
  const keys = place.key && await backend.keysFromSeed(place.key.seed);
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
  /** Undefined for a follower without a key. */
  readonly keys: DualKeys | undefined;
  readonly store: NodeState;
  /** False when the key's own store is lost: then it only follows. */
  readonly known: boolean;
}

/** How this node greets its peers, and where they find it. */
function peeringOf(
  { options, backend, keys }: Pick<Ingredients, "options" | "backend" | "keys">,
  machine: Validator,
): Omit<PeersOptions, "onFrame" | "onConnected"> {
  const { peering, genesis, random, logger } = options;
  const maySpare = (refused: readonly number[]): boolean => {
    const committee = machine.committeeOf(machine.status().session);
    return committee !== undefined && isQuorumWithout(committee, refused);
  };
  const common = { chain: machine.chain, random, logger, maySpare };
  if (peering.kind === "run") {
    return {
      ...common,
      // One that has lost its store follows, and has its place among the run's all the same.
      self: () => peering.index,
      proofs: tokenProofs(peering.token, genesis.validators.length),
      listen: { host: "127.0.0.1", port: 0 },
      maxFollowers: 0,
    };
  }
  const keyOf = (index: number): Uint8Array | undefined =>
    machine.session().validators[index]?.publicKey;
  const self = (): number | null => machine.self;
  return {
    ...common,
    self,
    proofs: keyProofs({
      backend,
      keyOf,
      keys: () => self() === null ? undefined : keys,
      random,
    }),
    keyOf,
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

/** The state machine, and the rounds of the blocks that an earlier run left. */
function machineOf(
  { options, ledger, facts, keys, store, known }: Ingredients,
): { readonly machine: Validator; readonly span: readonly [from: number, to: number] } {
  const { genesis, place: { key }, tuning, logger } = options;
  const restored = restoredFrom(store, facts, ledger, genesis, options);
  const rounds = restored.blocks.map(({ round }) => round);
  const machine = createValidator({
    genesis,
    ledger,
    key: known && keys !== undefined ? keys.publicKey : null,
    ...(key === undefined ? {} : { chainSeed: taggedHash("sion/chain-seed/v1", key.seed) }),
    restored,
    ...(tuning === undefined ? {} : { tuning }),
  });
  if (known && machine.self === null) {
    logger.log("warn", "This node only follows: its key is none of the validators'");
  }
  return { machine, span: [rounds[0] ?? 0, rounds.at(-1) ?? 0] };
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

/** What the node is to its clients: the id of its key, and whom a devnet's faucet signs for. */
function standingOf(
  { options: { peering }, facts, keys }: Pick<Ingredients, "options" | "facts" | "keys">,
  machine: Validator,
): Pick<ValidatorParts, "keyId" | "operator"> {
  return {
    keyId: keys === undefined ? facts.chain : validatorId(keys.publicKey),
    operator: () => peering.kind === "run" ? peering.index : machine.self ?? undefined,
  };
}

function callsOf(parts: ValidatorParts, random: Random): RpcCalls {
  const { chainId } = parts.genesis;
  return createCalls(parts, isDevnet(chainId) ? createFaucet(parts, random) : undefined);
}

async function assemble(
  ingredients: Ingredients,
  opened: AsyncDisposableStack,
): Promise<OpenValidator> {
  const { options, ledger, facts, backend, keys, store, known } = ingredients;
  const { genesis, clock, random, logger } = options;
  const onFault = (error: unknown): void => options.onFault?.(error);
  const { machine, span } = machineOf(ingredients);
  const blocks = createBlockCodec(ledger, statementKinds);
  // What comes in is handled by what is made below, in the same turn of the thread.
  const peers = await openPeers({
    ...peeringOf({ options, backend, keys }, machine),
    onFrame: (from, frame) => relay.offerFrame(from, frame) || intake.offerFrame(from, frame),
    onConnected: (peer) => driver.greet(peer),
  });
  opened.use(peers);
  const send: Peers["send"] = (to, frame) => peers.send(to, frame);
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
    onFault,
  });
  opened.defer(() => driver.stop());
  const intake = createIntake({
    ledger,
    committeeOf: (session) => machine.committeeOf(session),
    backend,
    blocks,
    wants: (block) => machine.wants(block),
    onUnit: ({ unit }) => journal.seen(unit),
    onMessage: driver.onMessage,
    ...judgedBy(peers),
    onLoad: driver.onLoad,
    onFault,
  });
  const relay = createRelay({
    committee: () => machine.committeeOf(machine.session().session) ?? facts.committee,
    self: () => machine.self,
    validators: () => peers.validators(),
    send,
    ledger,
    intake,
    driver,
    onOffence: (from, offence) => peers.offend(from, offence),
    onFault,
  });
  opened.defer(() => {
    relay.close();
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
    ...standingOf(ingredients, machine),
    executed: driver.executed,
    proven: prover.proven,
    stateAt: driver.stateAt,
    handIn: relay.handIn,
  };
  return {
    chain: facts.chain,
    self: machine.self,
    port: peers.port,
    calls: callsOf(parts, random),
    start(addresses) {
      peers.connect(addresses);
      driver.start();
      prover.executed(Number(machine.header().number));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
