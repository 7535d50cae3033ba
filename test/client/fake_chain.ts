/**
 * A chain of one for tests of clients: the real ledger executes what is handed in, at once and in
 * one process, behind the real contract's methods. No consensus, no network.
 */
import { setImmediate } from "node:timers";
import { encode, fromHex, parseJson, stringifyJson, toHex } from "#internal/core/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type {
  Account,
  LedgerEvent,
  LedgerState,
  PulseOutput,
  Receipt,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import {
  accountId,
  checkConservation,
  createLedger,
  NO_SALT,
  policyOfKey,
  readToDecide,
  receiptLeaf,
  USD,
  verifyAuthorization,
} from "#internal/ledger/mod.ts";
import { logInclusionProof } from "#internal/merkle/mod.ts";
import type { BlockHeader, GenesisFacts, Header } from "#internal/proofs/mod.ts";
import {
  blockId,
  chainOriginCodec,
  encodeStatement,
  FORMAT_VERSION,
  genesisOf,
  headerDigest,
  headerProofCodec,
  proveState,
  pulseStatementCodec,
  receiptProofCodec,
  STATEMENT_TAGS,
  statementsRoot,
  stateProofCodec,
  ZERO_HASH,
} from "#internal/proofs/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import {
  decodeRequest,
  DEFAULT_EVENT_PULSES,
  devnetWalletSeed,
  encodeRequest,
  methods,
  operatorName,
  RpcError,
} from "#internal/rpc/mod.ts";
import type { MethodName } from "#internal/rpc/mod.ts";
import type { Transport } from "#internal/client/mod.ts";

const ZERO = "00".repeat(32);

export interface FakeChainOptions {
  readonly chainId?: string;
  /** Wallets of the genesis; USD each in micro-units. */
  readonly accounts?: Readonly<Record<string, bigint>>;
}

interface Known {
  readonly signed: SignedUnit;
  state: "pending" | "executed" | "expired";
}

export class FakeChain {
  readonly chainId: string;
  readonly ledger = createLedger();
  state!: LedgerState;
  backend!: DualBackend;
  pulse = 3n;
  /** Units handed in, by digest. */
  readonly units = new Map<string, Known>();
  readonly receipts = new Map<string, Receipt>();
  readonly events: LedgerEvent[] = [];
  /** Every call, for assertions: method and parameters. */
  readonly calls: { method: string; params: Record<string, unknown> }[] = [];
  /** When true nothing is executed. */
  stalled = false;
  /** The reason for which every unit is refused, if any. */
  refusal: string | undefined;
  /** Called before each call is answered; what it throws is the answer. */
  before: (method: MethodName, params: Record<string, unknown>) => void | Promise<void> = () => {};
  /** Answers given in place of the chain's own, by method. */
  readonly answers = new Map<MethodName, object>();
  /** Called when an answer is ready; what it throws is what the client gets of it. */
  after: (method: MethodName) => void = () => {};
  #facts!: GenesisFacts;
  #keys!: DualKeys;
  /** Headers with the blocks that vote for them and the receipts under their roots, by Pulse. */
  readonly #headers = new Map<
    bigint,
    { header: Header; block: BlockHeader; receipts: readonly Receipt[]; state: LedgerState }
  >();
  #waiters: (() => void)[] = [];

  private constructor(options: FakeChainOptions) {
    this.chainId = options.chainId ?? "sion-devnet-1";
  }

  get chain(): string {
    return this.#facts.chain;
  }

  static async start(options: FakeChainOptions = {}): Promise<FakeChain> {
    const fake = new FakeChain(options);
    fake.backend = await loadDualBackend("insecure");
    const accounts = options.accounts ?? { alice: 10_000_000_000n, bob: 10_000_000_000n };
    const genesis: [string, bigint][] = [];
    for (const [name, amount] of Object.entries({ ...accounts, [operatorName(0)]: 100_000_000n })) {
      genesis.push([await fake.accountOf(name), amount]);
    }
    fake.#keys = await fake.backend.keysFromSeed(new Uint8Array(32));
    const operator = await fake.accountOf(operatorName(0));
    fake.#facts = genesisOf({
      chainId: fake.chainId,
      version: FORMAT_VERSION,
      shards: 2,
      timeMs: 0n,
      validators: [{ publicKey: fake.#keys.publicKey, stake: 400_000_000_000n, operator }],
      accounts: genesis,
      parameters: { faucet: true },
      insecure: true,
    }, fake.ledger);
    fake.state = fake.#facts.state;
    return fake;
  }

  async accountOf(name: string): Promise<string> {
    const keys = await this.backend.keysFromSeed(devnetWalletSeed(name));
    return accountId(policyOfKey(keys.publicKey), NO_SALT);
  }

  balance(account: string): bigint {
    return this.#account(account)?.balances.get(USD) ?? 0n;
  }

  #account(id: string): Account | undefined {
    const object = this.state.get(id);
    return object?.kind === "account" ? object.value as Account : undefined;
  }

  /** Executes what can be executed; empty Pulses too, so that what is late expires. */
  executePulse(): void {
    this.pulse++;
    const ordered: { type: "unit"; signed: SignedUnit; forced: boolean }[] = [];
    const next = new Map<string, bigint>();
    for (let again = true; again;) {
      again = false;
      for (const known of this.units.values()) {
        const { unit } = known.signed;
        if (known.state !== "pending" || ordered.some(({ signed }) => signed === known.signed)) {
          continue;
        }
        if (unit.validUntil < this.pulse) {
          known.state = "expired";
          continue;
        }
        const wanted = (account: string): bigint =>
          next.get(account) ?? this.#account(account)?.sequence ?? 0n;
        const [first] = unit.members;
        if (first === undefined || first.sequence !== wanted(first.account)) continue;
        for (const member of unit.members) next.set(member.account, member.sequence + 1n);
        ordered.push({ type: "unit", signed: known.signed, forced: false });
        again = true;
      }
    }
    const output = this.ledger.execute(this.state, {
      pulse: this.pulse,
      timeMs: this.pulse * 1000n,
      beacon: new Uint8Array(32),
      ordered,
    });
    this.state = output.state;
    checkConservation(this.ledger, this.state);
    this.#headers.set(this.pulse, {
      ...this.#vote(output),
      receipts: output.receipts,
      state: output.state,
    });
    for (const receipt of output.receipts) this.receipts.set(receipt.digest, receipt);
    this.events.push(...output.events);
    for (const { signed } of ordered) {
      (this.units.get(this.ledger.unitDigest(signed.unit)) as Known).state = "executed";
    }
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** The Pulse's header, and the block in which the chain's only validator votes for it. */
  #vote({ roots }: PulseOutput): { header: Header; block: BlockHeader } {
    const { header: first, chain } = this.#facts;
    const header: Header = {
      ...first,
      chain: fromHex(chain),
      number: this.pulse,
      stateRoot: roots.state,
      receiptsRoot: roots.receipts,
      knowledgeRoot: roots.knowledge,
      knowledgeSize: roots.knowledgeSize,
      leavesRoot: roots.leaves,
    };
    const vote = encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, {
      pulse: header.number,
      header: headerDigest(header),
    });
    const block: BlockHeader = {
      version: FORMAT_VERSION,
      chain: header.chain,
      session: 0,
      round: Number(4n * this.pulse),
      author: 0,
      parents: [],
      timeMs: 0n,
      link: { value: ZERO_HASH, next: ZERO_HASH },
      bodyRoot: ZERO_HASH,
      statementsRoot: statementsRoot([vote]),
    };
    return { header, block };
  }

  /** Keeps a unit as if it had been handed in. */
  take(signed: SignedUnit): void {
    this.units.set(this.ledger.unitDigest(signed.unit), { signed, state: "pending" });
    if (!this.stalled) setImmediate(() => this.stalled || this.executePulse());
  }

  readonly transport: Transport = async (method, params, { signal }) => {
    const request = encodeRequest(methods[method], params);
    const read = decodeRequest(methods[method], request) as Record<string, unknown>;
    this.calls.push({ method, params: read });
    signal?.throwIfAborted();
    await this.before(method, read);
    const answer = this.answers.get(method) ?? await this.#answer(method, read, signal);
    const wireAnswer = parseJson(stringifyJson({ ...answer, pulse: Number(this.pulse) }));
    methods[method].result.parse(wireAnswer, method);
    this.after(method);
    return wireAnswer;
  };

  async #answer(
    method: MethodName,
    params: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    switch (method) {
      case "status":
        return this.#status();
      case "account": {
        const id = params["account"] as string;
        const account = this.#account(id);
        const balances = [...account?.balances ?? []].map(([asset, amount]) => ({
          asset,
          amount,
          symbol: "USD",
        }));
        const sequence = account?.sequence ?? 0n;
        return {
          account: id,
          balances,
          exists: account !== undefined,
          next_sequence: sequence,
          reserved: 0n,
          sequence,
        };
      }
      case "genesis":
        return { bytes: toHex(encode(chainOriginCodec, this.#facts.origin)) };
      case "header_proof": {
        const number = params["number"] as number;
        const known = this.#headers.get(BigInt(number));
        if (known === undefined) throw new RpcError("not-found", `no certificate of ${number}`);
        const { header, block } = known;
        const signature = await this.backend.sign(this.#keys, blockId(block), systemRandom);
        const items = [{ header: block, signature, index: 0, count: 1, path: [] }];
        const proof = { before: [], certificate: { header, items } };
        return { bytes: toHex(encode(headerProofCodec, proof)), number };
      }
      case "object_proof": {
        const { number, key } = params as { number: number; key?: string };
        const state = this.#headers.get(BigInt(number))?.state;
        if (state === undefined || key === undefined) {
          throw new RpcError("not-found", `no state of ${number}`);
        }
        const proof = proveState(state, key, state.bytes(key));
        return { bytes: toHex(encode(stateProofCodec, proof)), number };
      }
      case "receipt_proof":
        return this.#receiptProof(params["digest"] as string);
      case "submit":
        return await this.#submit(params["tx"] as Uint8Array);
      case "receipt":
        return await this.#receipt(params, signal);
      case "faucet":
        return await this.#faucet(params["account"] as string, params["amount"] as bigint);
      case "events": {
        const oldest = Number(this.pulse) - DEFAULT_EVENT_PULSES + 1;
        const from = params["from"] as number | undefined ?? Math.max(0, oldest);
        const skip = params["skip"] as number | undefined ?? 0;
        const all = this.events.filter(({ pulse }) => pulse >= BigInt(from)).slice(skip);
        const events = all.slice(0, params["limit"] as number | undefined ?? 50);
        return { events, next: { from, skip: skip + events.length } };
      }
      case "object": {
        const id = params["id"] as string;
        const object = this.state.get(id);
        if (object === undefined) return { id, exists: false, object: null };
        return { id, exists: true, kind: object.kind, object: this.#view(object) };
      }
      case "claim": {
        const id = params["id"] as string;
        const read = readToDecide((each) => this.state.get(each), id, this.pulse);
        const objects = [...read].map(([id, object]) => ({
          id,
          object: toHex(this.ledger.encodeObject(object)),
        }));
        return { exists: objects.length > 0, id, objects };
      }
      case "objects": {
        const where = params["where"] as { member: string; equals: string } | undefined;
        const objects = [...this.state.entries()]
          .filter(([, { kind }]) => kind === params["kind"])
          .map(([id, object]) => ({ id, kind: object.kind, object: this.#view(object) }))
          .filter(({ object }) => where === undefined || object[where.member] === where.equals)
          .filter(({ id }) => id > (params["after"] as string | undefined ?? ""));
        const page = objects.slice(0, 2);
        const next = objects.length > 2 ? page[1]?.id : undefined;
        return { objects: page, ...(next === undefined ? {} : { next }) };
      }
      default:
        throw new RpcError("unknown-method", `no method ${method}`);
    }
  }

  #receiptProof(digest: string): object {
    const receipt = this.receipts.get(digest);
    const receipts = this.#headers.get(receipt?.pulse ?? -1n)?.receipts ?? [];
    const encoded = receipts.map((each) => encode(this.ledger.receiptCodec, each));
    const index = receipts.findIndex((each) => each.digest === digest);
    if (index < 0) throw new RpcError("not-found", "no such receipt");
    const proof = {
      pulse: receipt?.pulse ?? 0n,
      receipt: encoded[index] as Uint8Array,
      index,
      count: receipts.length,
      path: logInclusionProof(encoded.map(receiptLeaf), index),
    };
    return { bytes: toHex(encode(receiptProofCodec, proof)) };
  }

  #view(object: { kind: string; value: unknown }): Record<string, unknown> {
    return this.ledger.viewObject(object, { pulse: this.pulse, timeMs: this.pulse * 1000n });
  }

  #status(): object {
    return {
      active: true,
      active_validators: 4,
      anchors: 1,
      beacon: ZERO,
      certified_pulse: Number(this.pulse),
      chain: this.chain,
      chain_id: this.chainId,
      claims: Number(this.state.knowledge.size),
      commitment: {
        config: ZERO,
        knowledge_root: ZERO,
        knowledge_size: Number(this.state.knowledge.size),
        pulse: Number(this.pulse),
        state_root: ZERO,
      },
      epoch: 0,
      epoch_end: 9223372036854775807n,
      executed: [0, 0, 0],
      forced_overdue: 0,
      forced_pending: 0,
      genesis: ZERO,
      insecure_signatures: true,
      objects: this.state.size(),
      proven_pulse: 0,
      round: Number(this.pulse) * 4,
      session: 0,
      shards: 2,
      validator: ZERO,
      validators: 4,
    };
  }

  async #submit(tx: Uint8Array): Promise<object> {
    const signed = this.ledger.decodeSigned(tx);
    const { unit } = signed;
    const digest = this.ledger.unitDigest(unit);
    const digests = this.ledger.memberDigests(unit);
    const refuse = (reason: string) => ({ answer: "refused", digests, reason, unit: digest });
    const known = this.units.get(digest);
    if (known?.state === "executed") {
      return { ...refuse("it is executed already"), code: "executed" };
    }
    if (known !== undefined) return { answer: "accepted", digests, unit: digest };
    if (this.refusal !== undefined) return refuse(this.refusal);
    if (unit.chain !== this.chain) return refuse("it is for another chain");
    if (!await verifyAuthorization(this.backend, signed, this.ledger)) {
      return refuse("its signature does not hold");
    }
    const [first] = unit.members;
    if (first === undefined || first.sequence < (this.#account(first.account)?.sequence ?? 0n)) {
      return refuse("its sequence is used");
    }
    for (const [by, { signed: other, state }] of this.units) {
      const same = other.unit.members.some(({ account, sequence }) =>
        account === first.account && sequence === first.sequence
      );
      if (same && state === "pending") return { answer: "locked", by, digests, unit: digest };
    }
    if (unit.validUntil <= this.pulse) return refuse("it has expired");
    this.take(signed);
    return { answer: "accepted", digests, unit: digest };
  }

  async #receipt(
    params: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    const digest = params["digest"] as string;
    const told = this.#told(digest);
    if (told.state !== "pending" || (params["wait_ms"] as number | undefined ?? 0) === 0) {
      return told;
    }
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push(resolve);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return this.#told(digest);
  }

  #told(digest: string): { readonly state: string } & Record<string, unknown> {
    for (const [unit, { signed, state }] of this.units) {
      if (!this.ledger.memberDigests(signed.unit).includes(digest)) continue;
      const receipt = this.receipts.get(digest);
      const tx = toHex(this.ledger.encodeSigned(signed));
      return { digest, state, unit, tx, ...(receipt === undefined ? {} : { receipt }) };
    }
    return { digest, state: "unknown" };
  }

  async #faucet(account: string, amount: bigint): Promise<object> {
    const keys = await this.backend.keysFromSeed(devnetWalletSeed(operatorName(0)));
    const policy = policyOfKey(keys.publicKey);
    const operator = accountId(policy, NO_SALT);
    const unit = {
      chain: this.chain,
      validUntil: this.pulse + 20n,
      maxFee: 1100n,
      members: [{
        account: operator,
        sequence: this.#account(operator)?.sequence ?? 0n,
        kind: "faucet",
        body: { account, amount },
      }],
    };
    const signature = await this.backend.sign(
      keys,
      fromHex(this.ledger.unitDigest(unit)),
      () => new Uint8Array(32),
    );
    const signed = {
      unit,
      authorization: { policy, salts: [NO_SALT], signatures: [{ key: 0, signature }] },
    };
    this.units.set(this.ledger.unitDigest(unit), { signed, state: "pending" });
    this.executePulse();
    const digest = this.ledger.memberDigests(unit)[0] as string;
    const receipt = this.receipts.get(digest) as Receipt;
    return { digest, receipt, tx: toHex(this.ledger.encodeSigned(signed)) };
  }
}
