/**
 * A network of validators in one process: a virtual clock, one seed for every delay, loss and
 * repetition, stores that survive crashes. What the validators agree on is checked as it happens.
 */
import type { ObjectId } from "#internal/core/mod.ts";
import { decode, equalBytes, fromHex, toHex } from "#internal/core/mod.ts";
import type {
  AlarmCode,
  Answer,
  AnyStatementKind,
  Effect,
  Input,
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
  encodeMessage,
  packBlocks,
  statementKinds,
} from "#internal/consensus/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import { checkConservation, createLedger, USD, voidDigest } from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import type {
  CertificateContext,
  Genesis,
  Header,
  PulseCertificate,
} from "#internal/proofs/mod.ts";
import {
  FORMAT_VERSION,
  genesisOf,
  orderedOf,
  pulseDataCodec,
  pulseDataFault,
} from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, NAMED, policyOf, START_MS } from "../ledger/_world.ts";

/** A deterministic generator of numbers in [0, 1). */
function prng(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export interface NetOptions {
  readonly seed?: number;
  readonly validators?: number;
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
  /** Ms that a validator's clock is ahead. */
  readonly skewMs?: (index: number) => number;
}

/** What a validator keeps across crashes. */
export class Store {
  readonly blocks = new Map<string, StoredBlock>();
  readonly rows = new Map<string, { table: string; key: string; value: Uint8Array }>();
  /** Others' blocks that are not committed yet. */
  lazy: StoredBlock[] = [];
  own: StoredBlock | undefined;
  pulse: PulseEffect | undefined;
  headers: Header[] = [];
  certified = 0;

  commit(rows: PulseEffect["rows"]): void {
    for (const block of this.lazy) this.blocks.set(block.id, block);
    this.lazy = [];
    for (const row of rows) {
      const at = `${row.table}/${row.key}`;
      if (row.op === "delete") this.rows.delete(at);
      else this.rows.set(at, { table: row.table, key: row.key, value: row.value });
    }
  }

  restored(genesis: { header: Header; state: LedgerState }): Restored {
    const from = this.pulse?.keepFrom ?? 0;
    return {
      header: this.pulse?.header ?? genesis.header,
      state: this.pulse?.state ?? genesis.state,
      ...(this.pulse === undefined ? {} : { tail: this.pulse.tail }),
      blocks: [...this.blocks.values()].filter(({ round }) => round >= from),
      ...(this.own === undefined ? {} : { own: this.own }),
      rows: this.rows.values(),
      certified: this.certified,
      uncertified: this.headers.filter(({ number }) => Number(number) > this.certified),
    };
  }
}

export interface Peer {
  validator: Validator;
  store: Store;
  up: boolean;
  /** Counts restarts: what was scheduled for an earlier life is dropped. */
  life: number;
  readonly answers: Map<string, Answer>;
  readonly final: Map<string, number>;
  readonly dead: Set<string>;
  readonly alarms: Map<AlarmCode, string>;
  readonly refused: string[];
  readonly certificates: PulseCertificate[];
  readonly blocks: { round: number; atMs: number }[];
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  run(): void;
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
  /** Receipts by unit digest, in the order of execution. */
  readonly receipts = new Map<string, Receipt[]>();
  readonly all: Receipt[] = [];
  nowMs = Number(START_MS);
  readonly random: () => number;
  readonly #options: NetOptions;
  readonly #origin: ReturnType<typeof genesisOf>;
  readonly #codec;
  #events: Event[] = [];
  #order = 0;
  readonly #sequences = new Map<string, bigint>();

  constructor(options: NetOptions = {}) {
    this.#options = options;
    this.random = prng(options.seed ?? 1);
    this.ledger = createLedger();
    const count = options.validators ?? 4;
    this.genesis = {
      chainId: "sion-test-1",
      version: FORMAT_VERSION,
      shards: 2,
      timeMs: START_MS,
      validators: Array.from({ length: count }, (_, i) => ({
        publicKey: taggedHash("test/validator", Uint8Array.of(i)),
        stake: options.stakes?.[i] ?? 100_000n,
        operator: accountOf(`operator-${i}`),
      })),
      accounts: options.accounts ?? NAMED.map((name) => [accountOf(name), FUNDS] as const),
      parameters: options.parameters ?? {},
      insecure: true,
    };
    this.#origin = genesisOf(this.genesis, this.ledger);
    this.chain = this.#origin.chain;
    this.#codec = createBlockCodec(this.ledger, options.statements ?? statementKinds);
    for (let i = 0; i < count; i++) {
      this.peers.push({
        validator: this.#make(i),
        store: new Store(),
        up: true,
        life: 0,
        answers: new Map(),
        final: new Map(),
        dead: new Set(),
        alarms: new Map(),
        refused: [],
        certificates: [],
        blocks: [],
      });
    }
    for (let i = 0; i < count; i++) this.at(this.nowMs, () => this.feed(i, { type: "tick" }));
  }

  #make(self: number, restored?: Restored): Validator {
    const { tuning, reach } = this.#options;
    const statements = this.#options.statementsOf?.(self) ?? this.#options.statements;
    return createValidator({
      genesis: this.genesis,
      ledger: this.ledger,
      self,
      chainSeed: taggedHash("test/chain-seed", Uint8Array.of(self)),
      ...(restored === undefined ? {} : { restored }),
      ...(statements === undefined ? {} : { statements }),
      ...(tuning === undefined ? {} : { tuning }),
      ...(reach === undefined ? {} : { reach }),
    });
  }

  peer(i: number): Peer {
    return this.peers[i] as Peer;
  }

  at(atMs: number, run: () => void): void {
    this.#events.push({ atMs, order: this.#order++, run });
    let child = this.#events.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(this.#events[child] as Event, this.#events[parent] as Event)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }
  #swap(a: number, b: number): void {
    const held = this.#events[a] as Event;
    this.#events[a] = this.#events[b] as Event;
    this.#events[b] = held;
  }
  #take(): Event | undefined {
    const first = this.#events[0];
    const last = this.#events.pop();
    if (first === undefined || last === undefined || this.#events.length === 0) return first;
    this.#events[0] = last;
    for (let parent = 0;;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        const candidate = this.#events[child];
        if (candidate && before(candidate, this.#events[least] as Event)) least = child;
      }
      if (least === parent) return first;
      this.#swap(least, parent);
      parent = least;
    }
  }

  /** Runs until the condition holds or the time is over; true when it holds. */
  run(forMs: number, until: () => boolean = () => false): boolean {
    const endMs = this.nowMs + forMs;
    while (!until()) {
      const event = this.#events[0];
      if (event === undefined || event.atMs > endMs) {
        this.nowMs = endMs;
        return until();
      }
      this.#take();
      this.nowMs = Math.max(this.nowMs, event.atMs);
      event.run();
    }
    return true;
  }

  feed(i: number, input: InputWithoutTime): void {
    const peer = this.peer(i);
    if (!peer.up) return;
    const nowMs = this.nowMs + (this.#options.skewMs?.(i) ?? 0);
    for (const effect of peer.validator.step({ ...input, nowMs } as Input)) {
      this.#carryOut(i, effect);
    }
  }

  #later(i: number, delayMs: number, run: () => void): void {
    const { life } = this.peer(i);
    this.at(this.nowMs + delayMs, () => {
      if (this.peer(i).life === life) run();
    });
  }

  #carryOut(i: number, effect: Effect): void {
    const peer = this.peer(i);
    switch (effect.type) {
      case "sign": {
        const signature = signatureOf(i, effect.digest);
        this.#later(i, 0, () => this.feed(i, { type: "signed", digest: effect.digest, signature }));
        return;
      }
      case "persist":
        peer.store.commit(effect.rows);
        peer.store.blocks.set(effect.block.id, effect.block);
        peer.store.own = effect.block;
        peer.blocks.push({ round: effect.block.round, atMs: this.nowMs });
        return;
      case "store":
        peer.store.lazy.push(...effect.blocks);
        return;
      case "send":
        for (let to = 0; to < this.peers.length; to++) {
          if (to !== i && (effect.to === "all" || effect.to === to)) {
            this.#deliver(i, to, effect.message);
          }
        }
        return;
      case "serve": {
        const { ids, fromRound, rounds } = effect.request;
        const all = [...peer.store.blocks.values(), ...peer.store.lazy];
        const found = all.filter(({ id, round }) =>
          ids.includes(id) || (round >= fromRound && round < fromRound + rounds)
        );
        for (const message of packBlocks(found)) this.#deliver(i, effect.to, message);
        return;
      }
      case "answer":
        peer.answers.set(effect.unit, effect.answer);
        return;
      case "final":
        if (!peer.final.has(effect.unit)) peer.final.set(effect.unit, this.nowMs);
        return;
      case "dead":
        peer.dead.add(effect.unit);
        return;
      case "pulse":
        this.#pulse(peer, effect);
        return;
      case "certified":
        peer.store.certified = effect.number;
        peer.certificates.push(effect.certificate);
        return;
      case "alarm":
        peer.alarms.set(effect.code, effect.text);
        return;
      case "refused":
        peer.refused.push(effect.reason);
        return;
      case "wake": {
        const delay = effect.atMs - this.nowMs - (this.#options.skewMs?.(i) ?? 0);
        this.#later(i, Math.max(0, delay), () => this.feed(i, { type: "tick" }));
        return;
      }
    }
  }

  #deliver(from: number, to: number, message: Message): void {
    const { delayMs = [5, 5], loss = 0, duplicates = 0, filter } = this.#options;
    if (filter !== undefined && !filter(from, to, message)) return;
    const bytes = encodeMessage(message);
    for (let copies = this.random() < duplicates ? 2 : 1; copies > 0; copies--) {
      const delay = delayMs[0] + this.random() * (delayMs[1] - delayMs[0]);
      if (this.random() < loss) continue;
      this.at(this.nowMs + delay, () => {
        const received = decodeMessage(bytes, this.#codec);
        this.feed(to, { type: "message", from, message: received });
      });
    }
  }

  #pulse(peer: Peer, effect: PulseEffect): void {
    peer.store.commit(effect.rows);
    peer.store.pulse = effect;
    peer.store.headers.push(effect.header);
    const digest = toHex(effect.digest);
    const known = this.pulses[effect.number - 1];
    if (known !== undefined) {
      if (known !== digest) throw new Error(`Two headers for Pulse ${effect.number}`);
      return;
    }
    if (effect.number !== this.pulses.length + 1) throw new Error(`Pulse ${effect.number} skips`);
    this.pulses.push(digest);
    this.#checkData(effect);
    this.effects.push(effect);
    checkConservation(this.ledger, effect.state);
    for (const receipt of effect.receipts) {
      this.all.push(receipt);
      this.receipts.set(receipt.unit, [...(this.receipts.get(receipt.unit) ?? []), receipt]);
    }
  }

  /** The published data is under its root, and time, beacon and order follow from it. */
  #checkData({ header, data, receipts, locks, number }: PulseEffect): void {
    const { committee, header: first } = this.#origin;
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
      if (!committee.isQuorum(by.reduce((mask, { author }) => mask | (1 << author), 0))) {
        throw new Error(`Pulse ${number} executed something without a quorum`);
      }
    }
  }

  /** The process dies: what was not committed is lost. */
  crash(i: number): void {
    const peer = this.peer(i);
    peer.up = false;
    peer.life++;
    peer.store.lazy = [];
  }

  /** A validator gets a stored block of another's store again. */
  show(to: number, from: number, block: StoredBlock): void {
    const sent = { bytes: block.bytes, signature: block.signature };
    const message = decodeMessage(encodeMessage({ type: "block", block: sent }), this.#codec);
    this.feed(to, { type: "message", from, message });
  }

  /** A new process on the same store; or on a store that lost everything. */
  restart(i: number, options: { wiped?: boolean } = {}): void {
    const peer = this.peer(i);
    if (options.wiped) peer.store = new Store();
    peer.validator = this.#make(i, options.wiped ? undefined : peer.store.restored(this.#origin));
    peer.up = true;
    this.feed(i, { type: "tick" });
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
    this.feed(i, { type: "submit", signed, ...options });
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

  /** What certificates of this network are checked against. */
  certificateContext(): CertificateContext {
    const keys = this.genesis.validators.map(({ publicKey }) => publicKey);
    return {
      chain: fromHex(this.chain),
      session: 0,
      committee: this.#origin.committee,
      backend: {
        verify: (publicKey, digest, signature) => {
          const author = keys.findIndex((key) => equalBytes(key, publicKey));
          return Promise.resolve(equalBytes(signature, signatureOf(author, digest)));
        },
      },
    };
  }
}

/** What stands for a validator's signature here. */
function signatureOf(author: number, digest: Uint8Array): Uint8Array {
  return taggedHash("test/signature", Uint8Array.of(author), digest);
}

type InputWithoutTime = Input extends infer I ? I extends Input ? Omit<I, "nowMs"> : never : never;

function before(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
