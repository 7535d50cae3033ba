/**
 * A network of validators in one process: a virtual clock, one seed for every delay, loss and
 * repetition, stores that survive crashes. What the validators agree on is checked as it happens.
 */
import type { ObjectId } from "#internal/core/mod.ts";
import { decode, equalBytes, fromHex, toHex } from "#internal/core/mod.ts";
import type {
  Answer,
  AnyStatementKind,
  Message,
  PulseEffect,
  Reach,
  Restored,
  StoredBlock,
  Tuning,
  Validator,
} from "#internal/consensus/mod.ts";
import {
  createBlockCodec,
  createValidator,
  decodeMessage,
  DEFAULT_TUNING,
  encodeMessage,
  statementKinds,
} from "#internal/consensus/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Action, Ledger, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import { checkConservation, createLedger, USD, voidDigest } from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import type {
  CertificateContext,
  Committee,
  Genesis,
  PulseCertificate,
  SessionConfig,
} from "#internal/proofs/mod.ts";
import {
  committeeOf,
  FORMAT_VERSION,
  genesisOf,
  headerDigest,
  orderedOf,
  pulseDataCodec,
  pulseDataFault,
  validatorId,
} from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, NAMED, policyOf, START_MS } from "../ledger/_world.ts";
import { Disk } from "../sim/disk.ts";
import { Host } from "../sim/host.ts";
import type { Frame } from "../sim/network.ts";
import { Network } from "../sim/network.ts";
import { Random } from "../sim/random.ts";
import { Timeline } from "../sim/timeline.ts";

export interface NetOptions {
  readonly seed?: number;
  readonly validators?: number;
  /** Nodes besides, whose keys come after those of the validators. @default 0 */
  readonly joiners?: number;
  /** Delay of a message, ms: at least and at most. @default 5 to 5 */
  readonly delayMs?: readonly [number, number];
  /** Chance that a message is lost. @default 0 */
  readonly loss?: number;
  /** Chance that it arrives twice. @default 0 */
  readonly duplicates?: number;
  readonly tuning?: Partial<Tuning>;
  readonly stakes?: readonly bigint[];
  /** Statement kinds of the chain. @default the product's */
  readonly statements?: readonly AnyStatementKind[];
  /** Kinds as one validator has them, to make it behave otherwise. */
  readonly statementsOf?: (index: number) => readonly AnyStatementKind[] | undefined;
  readonly parameters?: Genesis["parameters"];
  /** Micro-USD that accounts begin with. @default 10,000 USD for each named wallet */
  readonly accounts?: Genesis["accounts"];
  /** Stops a message from one validator to another; true lets it pass. */
  readonly filter?: (from: number, to: number, message: Message) => boolean;
  /** Distances and sizes of the chain. @default the protocol's */
  readonly reach?: Reach;
  /** Rounds for which blocks are kept below the oldest of use. @default for ever */
  readonly keptRounds?: number;
  /** Ms that a validator's clock is ahead. */
  readonly skewMs?: (index: number) => number;
}

/** A validator and what it said to its caller; outlives its crashes. */
export class Peer {
  host: Host;
  readonly answers = new Map<string, Answer>();
  readonly final = new Map<string, number>();
  readonly dead = new Set<string>();
  readonly alarms = new Map<string, string>();
  readonly refused: string[] = [];
  readonly certificates: PulseCertificate[] = [];
  /** Pulses of which it took a snapshot, and why it refused others. */
  readonly snapshots: number[] = [];
  readonly refusedSnapshots: string[] = [];
  readonly blocks: { round: number; atMs: number }[] = [];

  constructor(host: Host) {
    this.host = host;
  }
  get validator(): Validator {
    return this.host.validator;
  }
  get store(): Disk {
    return this.host.disk;
  }
  get up(): boolean {
    return this.host.up;
  }
}

export class Net {
  readonly ledger: Ledger;
  readonly genesis: Genesis;
  readonly chain: string;
  readonly peers: Peer[] = [];
  /** Digest of each Pulse's header, as the first validator that executed it had it. */
  readonly pulses: string[] = [];
  /** Each Pulse, as the first validator that executed it had it. */
  readonly effects: PulseEffect[] = [];
  /** Who signs in each session. */
  readonly sessions: SessionConfig[] = [];
  /** Receipts by unit digest, in the order of execution. */
  readonly receipts = new Map<string, Receipt[]>();
  readonly all: Receipt[] = [];
  readonly #timeline = new Timeline(Number(START_MS));
  readonly #network: Network<Frame>;
  readonly #random: Random;
  readonly #options: NetOptions;
  readonly #origin: ReturnType<typeof genesisOf>;
  readonly #codec;
  readonly #sequences = new Map<string, bigint>();

  constructor(options: NetOptions = {}) {
    this.#options = options;
    this.#random = new Random(options.seed ?? 1, "test");
    this.ledger = createLedger();
    const count = options.validators ?? 4;
    this.genesis = {
      chainId: "sion-test-1",
      version: FORMAT_VERSION,
      shards: 2,
      timeMs: START_MS,
      validators: Array.from({ length: count }, (_, i) => ({
        publicKey: keyOf(i),
        stake: options.stakes?.[i] ?? 100_000n,
        operator: accountOf(`operator-${i}`),
      })),
      accounts: options.accounts ?? NAMED.map((name) => [accountOf(name), FUNDS] as const),
      parameters: options.parameters ?? {},
      insecure: true,
    };
    this.#origin = genesisOf(this.genesis, this.ledger);
    this.sessions.push(this.#origin.origin.config);
    this.chain = this.#origin.chain;
    this.#codec = createBlockCodec(this.ledger, options.statements ?? statementKinds);
    const { delayMs = [5, 5], loss = 0, duplicates = 0 } = options;
    this.#network = new Network({
      timeline: this.#timeline,
      size: count + (options.joiners ?? 0),
      seed: options.seed ?? 1,
      weather: { delayMs, loss, duplicates },
      deliver: (from, to, { bytes }) => {
        const received = decodeMessage(bytes, this.#codec);
        this.peer(to).host.feed({ type: "message", from, message: received });
      },
    });
    for (let i = 0; i < count + (options.joiners ?? 0); i++) {
      this.peers.push(new Peer(this.#host(i)));
    }
    for (const { host } of this.peers) this.at(this.nowMs, () => host.start());
  }

  #make(self: number, key: number, restored?: Restored): Validator {
    const { tuning, reach } = this.#options;
    const statements = this.#options.statementsOf?.(self) ?? this.#options.statements;
    return createValidator({
      genesis: this.genesis,
      ledger: this.ledger,
      key: keyOf(key),
      chainSeed: taggedHash("test/chain-seed", Uint8Array.of(key)),
      ...(restored === undefined ? {} : { restored }),
      ...(statements === undefined ? {} : { statements }),
      ...(tuning === undefined ? {} : { tuning }),
      ...(reach === undefined ? {} : { reach }),
    });
  }

  #host(i: number, key: number = i): Host {
    const { skewMs = () => 0 } = this.#options;
    return new Host({
      timeline: this.#timeline,
      self: i,
      disk: new Disk(this.#origin.state, this.#options.keptRounds ?? Number.POSITIVE_INFINITY),
      chain: {
        ledger: this.ledger,
        genesis: this.genesis,
        origin: this.#origin,
        keptRounds: this.#options.keptRounds ?? 1024,
        retryMs: this.#options.tuning?.retryMs ?? DEFAULT_TUNING.retryMs,
        holds: ({ publicKey, digest, signature }) =>
          equalBytes(signature, signatureOf(publicKey, digest)),
      },
      make: (restored) => this.#make(i, key, restored),
      read: (disk) => disk.restored(this.#origin, this.ledger, this.genesis.shards),
      sign: (digest) => signatureOf(keyOf(key), digest),
      clockMs: () => this.nowMs + skewMs(i),
      signMs: () => 0,
      commitMs: () => 0,
      hasty: false,
      events: {
        made: ({ round }) => this.peer(i).blocks.push({ round, atMs: this.nowMs }),
        send: (to, message) => this.#send(i, to, message),
        answer: (unit, answer) => this.peer(i).answers.set(unit, answer),
        final: (unit) => {
          const { final } = this.peer(i);
          if (!final.has(unit)) final.set(unit, this.nowMs);
        },
        dead: (unit) => this.peer(i).dead.add(unit),
        pulse: (effect) => this.#pulse(effect),
        certified: (_number, certificate) => this.peer(i).certificates.push(certificate),
        refused: (_author, _block, reason) => this.peer(i).refused.push(reason),
        alarm: (code, text) => this.peer(i).alarms.set(code, text),
        taken: ({ certificate }) => this.#taken(i, certificate),
        refusedSnapshot: (_from, reason) => this.peer(i).refusedSnapshots.push(reason),
      },
    });
  }

  get nowMs(): number {
    return this.#timeline.nowMs;
  }
  /** A number from 0 to below 1, by the seed. */
  random(): number {
    return this.#random.next();
  }
  peer(i: number): Peer {
    return this.peers[i] as Peer;
  }
  at(atMs: number, run: () => void): void {
    this.#timeline.at(atMs, run);
  }
  /** Runs until the condition holds or the time is over; true when it holds. */
  run(forMs: number, until: () => boolean = () => false): boolean {
    return this.#timeline.run(forMs, until);
  }

  #send(from: number, to: number | "all", message: Message): void {
    const { filter = () => true } = this.#options;
    const frame = { bytes: encodeMessage(message) };
    for (let other = 0; other < this.peers.length; other++) {
      if ((to === "all" || to === other) && other !== from && filter(from, other, message)) {
        this.#network.send(from, other, frame);
      }
    }
  }

  #pulse(effect: PulseEffect): void {
    const digest = toHex(effect.digest);
    const known = this.pulses[effect.number - 1];
    if (known !== undefined) {
      if (known !== digest) throw new Error(`Two headers for Pulse ${effect.number}`);
      return;
    }
    if (effect.number !== this.pulses.length + 1) throw new Error(`Pulse ${effect.number} skips`);
    this.pulses.push(digest);
    this.#checkData(effect);
    if (effect.nextSession !== null) this.sessions.push(effect.nextSession);
    this.effects.push(effect);
    checkConservation(this.ledger, effect.state);
    for (const receipt of effect.receipts) {
      this.all.push(receipt);
      this.receipts.set(receipt.unit, [...(this.receipts.get(receipt.unit) ?? []), receipt]);
    }
  }

  #taken(i: number, { header }: PulseCertificate): void {
    const number = Number(header.number);
    if (toHex(headerDigest(header)) !== this.pulses[number - 1]) {
      throw new Error(`A snapshot of another Pulse ${number}`);
    }
    this.peer(i).snapshots.push(number);
  }

  /** The published data is under its root, and time, beacon and order follow from it. */
  #checkData({ header, data, receipts, locks, number }: PulseEffect): void {
    const { header: first } = this.#origin;
    const committee = this.committeeOf(header.session);
    const published = decode(pulseDataCodec, data);
    const before = this.effects.at(-1)?.header ?? { ...first, chain: header.chain };
    const fault = pulseDataFault(published, header, before, committee);
    if (fault !== undefined) throw new Error(`Data of Pulse ${number}: ${fault}`);
    if (!equalBytes(DataSquare.of(data).root(header.chain), header.dataRoot)) {
      throw new Error(`Data of Pulse ${number} is not under its root`);
    }
    const ordered = orderedOf(published) ?? [];
    const digests = ordered.flatMap((item) =>
      item.type === "void"
        ? [voidDigest(item.account, item.sequence)]
        : this.ledger.memberDigests(this.ledger.decodeSigned(item.bytes).unit)
    );
    const executed = receipts.map((receipt) => receipt.digest);
    if (executed.join() !== digests.join() || locks.length !== ordered.length) {
      throw new Error(`Data of Pulse ${number} is not what executed`);
    }
    for (const { by } of locks) {
      // What a full Pulse left was decided by the committee before.
      const committees = [committee, this.committeeOf(Math.max(0, header.session - 1))];
      if (
        !committees.some((one) =>
          one.isQuorum(by.reduce((mask, { author }) => mask | (1 << author), 0))
        )
      ) {
        throw new Error(`Pulse ${number} executed something without a quorum`);
      }
    }
  }

  /** The process dies: what was not committed is lost. */
  crash(i: number): void {
    this.peer(i).host.crash(0);
  }

  /** A validator gets a stored block of another's store again. */
  show(to: number, from: number, block: StoredBlock): void {
    const sent = { bytes: block.bytes, signature: block.signature };
    const message = decodeMessage(encodeMessage({ type: "block", block: sent }), this.#codec);
    this.peer(to).host.feed({ type: "message", from, message });
  }

  /** A new process on the same store; or on a store that lost everything, with another key if given. */
  restart(i: number, options: { wiped?: boolean; key?: number } = {}): void {
    const peer = this.peer(i);
    if (!options.wiped) return peer.host.restart();
    peer.host = this.#host(i, options.key);
    peer.host.start();
  }

  /** A payment by a wallet, in its next slot unless said. */
  payment(
    from: string,
    to: string,
    amount: bigint,
    options: { sequence?: bigint; validUntil?: bigint; count?: number } = {},
  ): SignedUnit {
    const account = accountOf(from);
    const first = options.sequence ?? this.#sequences.get(account) ?? 0n;
    const count = options.count ?? 1;
    if (options.sequence === undefined) this.#sequences.set(account, first + BigInt(count));
    const pulse = BigInt(this.pulses.length);
    const outputs: [ObjectId, bigint][] = [[accountOf(to), amount]];
    return {
      unit: {
        chain: this.chain,
        validUntil: options.validUntil ?? pulse + 20n,
        maxFee: 1_000_000n,
        members: Array.from({ length: count }, (_, i) => ({
          account,
          sequence: first + BigInt(i),
          kind: "pay",
          body: { asset: USD, outputs },
        })),
      },
      authorization: {
        policy: policyOf(from),
        salts: Array.from({ length: count }, () => new Uint8Array(0)),
        signatures: [{ key: 0, signature: new Uint8Array(32) }],
      },
    };
  }

  /** Submits a unit to one validator and gives its digest. */
  submit(i: number, signed: SignedUnit, options: { forced?: boolean } = {}): string {
    this.peer(i).host.submit(signed, options.forced ?? false);
    return this.ledger.unitDigest(signed.unit);
  }

  outcomes(unit: string): string[] {
    return (this.receipts.get(unit) ?? []).map(({ outcome }) => outcome.kind);
  }

  /** Units with a lane certificate at some validator. */
  finals(): Set<string> {
    return new Set(this.peers.flatMap(({ final }) => [...final.keys()]));
  }

  /** True when every running validator has executed and certified what the others have. */
  isLevel(): boolean {
    return this.peers.every(({ up, validator }) => {
      const { pulse, certified, busy } = validator.status();
      return !up || (pulse === this.pulses.length && certified >= pulse - 2 && !busy);
    });
  }

  /** Changes a validator's key to that of a number, by its operator. */
  rotation(i: number, key: number): SignedUnit {
    const validator = validatorId(keyOf(i));
    const body = { validator, key: keyOf(key), consent: new Uint8Array(32) };
    return this.action(`operator-${i}`, { kind: "rotate_key", body });
  }

  /** Any transaction of a wallet, in its next slot. */
  action(by: string, action: Action): SignedUnit {
    const { unit, authorization } = this.payment(by, "bob", 1n);
    const members = unit.members.map((member) => ({ ...member, ...action }));
    return { unit: { ...unit, members }, authorization };
  }

  /** The committee of a session. */
  committeeOf(session: number): Committee {
    return committeeOf(this.sessions[session]?.validators ?? []);
  }

  /** What certificates of this network are checked against. */
  certificateContext(session = 0): CertificateContext {
    return {
      chain: fromHex(this.chain),
      session,
      committee: this.committeeOf(session),
      backend: {
        verify: (publicKey, digest, signature) =>
          Promise.resolve(equalBytes(signature, signatureOf(publicKey, digest))),
      },
    };
  }
}

/** What stands for a validator's signature here. */
function signatureOf(publicKey: Uint8Array, digest: Uint8Array): Uint8Array {
  return taggedHash("test/signature", publicKey, digest);
}

/** The public key of a number: validators begin with those of their places. */
export function keyOf(number: number): Uint8Array {
  return taggedHash("test/validator", Uint8Array.of(number));
}
