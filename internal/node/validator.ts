/**
 * One validator, put together: its state machine, store, verification, peers and answers to clients.
 * It runs in the thread that opens it and does no work before `start`.
 */
import type { Clock, Logger, Random } from "#internal/core/mod.ts";
import type { BlockCodec, Restored, Tuning, Validator } from "#internal/consensus/mod.ts";
import {
  createBlockCodec,
  createValidator,
  DEFAULT_TUNING,
  encodeMessage,
  statementKinds,
} from "#internal/consensus/mod.ts";
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
import { storeRemedy } from "./alarms.ts";
import type { CatchUp } from "./catch_up.ts";
import { createCatchUp } from "./catch_up.ts";
import type { Address } from "./dialer.ts";
import type { Driver, DriverOptions } from "./driver.ts";
import { createDriver, KEPT_ROUNDS } from "./driver.ts";
import { createFaucet } from "./faucet.ts";
import { backendOf } from "./genesis_file.ts";
import type { Intake, IntakeOptions } from "./intake.ts";
import { createIntake } from "./intake.ts";
import type { Journal } from "./journal.ts";
import { createJournal } from "./journal.ts";
import type { ValidatorParts } from "./parts.ts";
import { keyProofs, tokenProofs } from "./peer_proofs.ts";
import type { Peers, PeersOptions } from "./peers.ts";
import { openPeers } from "./peers.ts";
import type { Relay } from "./relay.ts";
import { createRelay } from "./relay.ts";
import { sessionSteps } from "./proofs.ts";
import { watchRole } from "./role.ts";
import type { ReplaceableValidator } from "./replaceable.ts";
import { replaceable } from "./replaceable.ts";
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
  readonly logger: Logger;
  readonly tuning?: Partial<Tuning>;
  /** Rounds for which blocks are kept below the oldest that the order needs. @default 1,024 */
  readonly keptRounds?: number;
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
  /** A fault that nothing in it caught: it signs and sends nothing more, and tells `onFault`. */
  fail(error: unknown): void;
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
  if (place.key !== undefined && !known) {
    options.logger.log(
      "error",
      `The store of ${place.name} is lost, and it only follows: ${storeRemedy}`,
    );
  }
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

/** What a node is to its peers. */
interface Role {
  /** Its index in the committee; null when it follows. */
  readonly self: () => number | null;
  /** It follows from now on. */
  retire(): void;
}

/** That of a validator, while its key signs: another node may have the one that still does. */
function roleOf(machine: Validator): Role {
  let isRetired = false;
  return {
    self: () => isRetired ? null : machine.self,
    retire: () => void (isRetired = true),
  };
}

/** How this node greets its peers, and where they find it. */
function peeringOf(
  { options, backend, keys }: Pick<Ingredients, "options" | "backend" | "keys">,
  machine: Validator,
  { self }: Role,
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
      // The run itself makes these connections: they are no news to whoever started it.
      connectionLevel: "debug",
    };
  }
  const keyOf = (index: number): Uint8Array | undefined =>
    machine.session().validators[index]?.publicKey;
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
  { onSession, role }: { readonly onSession: () => void; readonly role: Role },
): Pick<DriverOptions, "send" | "nearest" | "onSession" | "onStale" | "onInvalidBlock"> {
  return {
    send: (to, frame) => peers.send(to, frame),
    nearest: (peer) => peers.nearest(peer),
    onSession,
    onStale() {
      role.retire();
      peers.renew();
    },
    onInvalidBlock: (author) => peers.penalize(author, "invalid-block"),
  };
}

/** What an intake tells of peers goes into their records. */
function judgedBy(
  peers: Peers,
  catchUp: CatchUp,
): Pick<IntakeOptions, "onOffence" | "onUseless" | "takesWant"> {
  return {
    onOffence: (from, offence) => peers.penalize(from, offence),
    onUseless(from, bytes) {
      // Who was left behind cannot use what others say to each other: that is not their fault.
      if (!catchUp.isUnderWay) peers.sentUseless(from, bytes);
    },
    takesWant: (from) => peers.takesWant(from),
  };
}

/** Whether all but these validators are a quorum. */
function isQuorumWithout({ members, isQuorum }: Committee, refused: readonly number[]): boolean {
  const left = members.reduce((mask, _, i) => refused.includes(i) ? mask : mask | (1 << i), 0);
  return isQuorum(left);
}

/** A state machine, made of what the store holds. */
interface MadeMachine {
  readonly machine: ReplaceableValidator;
  /** Rounds of the blocks that an earlier run left. */
  readonly span: readonly [from: number, to: number];
  /** Replaces it by one of what the store holds now. */
  remake(): void;
}

function machineOf({ options, ledger, facts, keys, store, known }: Ingredients): MadeMachine {
  const { genesis, place, tuning, logger } = options;
  const { key } = place;
  const restore = () => restoredFrom({ store, facts, ledger, genesis, place });
  const make = (restored: Restored): Validator =>
    createValidator({
      genesis,
      ledger,
      key: known && keys !== undefined ? keys.publicKey : null,
      ...(key === undefined ? {} : { chainSeed: taggedHash("sion/chain-seed/v1", key.seed) }),
      restored,
      ...(tuning === undefined ? {} : { tuning }),
    });
  const restored = restore();
  const rounds = restored.blocks.map(({ round }) => round);
  const machine = replaceable(make(restored));
  if (known && machine.self === null) {
    logger.log("warn", "This node only follows: its key is none of the validators'");
  }
  return {
    machine,
    span: [rounds[0] ?? 0, rounds.at(-1) ?? 0],
    remake: () => machine.replace(make(restore())),
  };
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

/** What the node does about snapshots; `to` is what it needs of the rest. */
function catchUpOf(
  { options, ledger, backend, store }: Ingredients,
  machine: Validator,
  to: {
    readonly peers: Peers;
    /** Goes on from what was put into the store. */
    readonly goOn: (number: number) => void;
    readonly fail: (error: unknown) => void;
  },
): CatchUp {
  const { genesis, clock, logger } = options;
  return createCatchUp({
    machine,
    ledger,
    store,
    backend,
    logger,
    shards: genesis.shards,
    keptRounds: options.keptRounds ?? KEPT_ROUNDS,
    retryMs: options.tuning?.retryMs ?? DEFAULT_TUNING.retryMs,
    nowMs: () => clock.nowMs(),
    peers: () => to.peers.validators(),
    steps: (session) => sessionSteps(store, session),
    send: (peer, message) => to.peers.send(peer, encodeMessage(message)),
    onLie: (peer) => to.peers.penalize(peer, "bad-snapshot"),
    onTaken: to.goOn,
    onFault: to.fail,
  });
}

function* unitsIn(
  store: NodeState,
  blocks: BlockCodec,
  [from, to]: readonly [number, number],
): Generator<Unit> {
  const forms = new Set<string>();
  for (const { bytes, signature } of store.blocksOfRounds(from, to)) {
    for (const { form } of blocks.decode(bytes, signature).body.units) forms.add(form);
  }
  for (const form of forms) {
    const bytes = store.unit(form);
    if (bytes !== undefined) yield blocks.decodeUnit(bytes).unit;
  }
}

/** What a node is put together from, as far as it stands when messages are to be taken in. */
interface Rest {
  readonly machine: Validator;
  readonly blocks: BlockCodec;
  readonly peers: Peers;
  readonly catchUp: CatchUp;
  readonly journal: Journal;
  readonly driver: Driver;
}

function intakeOf(
  { options, ledger, backend }: Ingredients,
  { machine, blocks, peers, catchUp, journal, driver }: Rest,
): Intake {
  return createIntake({
    ledger,
    committeeOf: (session) => machine.committeeOf(session) ?? catchUp.committeeOf(session),
    backend,
    blocks,
    wants: (block) => machine.wants(block) || catchUp.wants(block),
    needsUnit: (form) => machine.needsUnit(form) || catchUp.needsUnit(form),
    endClaim: (certificate) => machine.endClaim(certificate),
    wantsParts: (from) => catchUp.expectsPart(from),
    onUnit: ({ unit }) => journal.seen(unit),
    onMessage: driver.onMessage,
    ...judgedBy(peers, catchUp),
    onLoad: driver.onLoad,
    onFault: (error) => options.onFault?.(error),
  });
}

function relayOf(
  { options, ledger, facts }: Ingredients,
  { machine, peers, intake, driver, role }: Rest & {
    readonly intake: Intake;
    readonly role: Role;
  },
): Relay {
  return createRelay({
    committee: () => machine.committeeOf(machine.session().session) ?? facts.committee,
    self: role.self,
    validators: () => peers.validators(),
    send: (to, frame) => peers.send(to, frame),
    ledger,
    intake,
    driver,
    onOffence: (from, offence) => peers.penalize(from, offence),
    onFault: (error) => options.onFault?.(error),
  });
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
  const { machine, span, remake } = machineOf(ingredients);
  const blocks = createBlockCodec(ledger, statementKinds);
  const role = roleOf(machine);
  // What comes in is handled by what is made below, in the same turn of the thread.
  const peers = await openPeers({
    ...peeringOf({ options, backend, keys }, machine, role),
    onFrame: (from, frame) => relay.offerFrame(from, frame) || intake.offerFrame(from, frame),
    onConnected: (peer) => driver.greet(peer),
  });
  opened.use(peers);
  const journal = createJournal(ledger, store, {
    standingOf: (unit) => machine.standing(unit),
    earlierUnits: () => unitsIn(store, blocks, span),
  });
  const prover = proverOf({ options, ledger, facts, store }, machine);
  opened.defer(() => prover.stop());
  const onPulse = (number: number): void => {
    prover.executed(number);
    options.onPulse?.(number);
  };
  const tellRole = watchRole(machine, logger);
  const onSession = (): void => {
    tellRole();
    peers.renew();
  };
  const catchUp = catchUpOf(ingredients, machine, {
    peers,
    goOn(number) {
      remake();
      driver.start();
      onSession();
      onPulse(number);
    },
    fail: (error) => driver.fail(error),
  });
  const driver = createDriver({
    machine,
    ledger,
    store,
    journal,
    catchUp,
    keptRounds: options.keptRounds ?? KEPT_ROUNDS,
    backend,
    keys: known ? keys : undefined,
    someAccount: genesis.accounts[0]?.[0] ?? facts.chain,
    clock,
    random,
    logger,
    ...spokenBy(peers, { onSession, role }),
    holdsUnit: (form) => intake.holdsUnit(form),
    onPulse,
    onFault: (error) => options.onFault?.(error),
  });
  opened.defer(() => {
    catchUp.stop();
    driver.stop();
  });
  const rest = { machine, blocks, peers, catchUp, journal, driver };
  const intake = intakeOf(ingredients, rest);
  const relay = relayOf(ingredients, { ...rest, intake, role });
  opened.defer(() => {
    relay.close();
    intake.close();
    journal.close();
  });
  const parts: ValidatorParts = {
    ...rest,
    logger,
    genesis,
    facts,
    ledger,
    backend,
    store,
    intake,
    ...standingOf(ingredients, machine),
    executed: driver.executed,
    proven: prover.proven,
    stateAt: catchUp.stateAt,
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
    fail: driver.fail,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
