/** Pulses one after another by stack B alone. */
import { expect } from "vitest";
import { decode, encode, idBytes, toHex, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { PartialTree, WorldInput, WorldOutput } from "#internal/proofs/mod.ts";
import { executeByStackB } from "#internal/proofs/mod.ts";
import { append } from "../../internal/proofs/world/stack_b/log.ts";
import type {
  BodyOf,
  ObjectKind,
  StateObject,
} from "../../internal/proofs/world/stack_b/objects.ts";
import { accountKey, objectCodec } from "../../internal/proofs/world/stack_b/objects.ts";
import type { Receipt } from "../../internal/proofs/world/stack_b/receipt.ts";
import type { Wallet, Wanted } from "./_stack_b.ts";
import { genesisOf, inputOf, madeBy, ordered, shownBy, treesOf, unitOf, USD } from "./_stack_b.ts";

const START_MS = 1_700_000_000_000n;

/** What every wallet of a story begins with, micro-USD. */
export const FUNDS = 1_000_000_000n;

/** A Pulse that was executed. */
export interface Told {
  readonly input: WorldInput;
  readonly output: WorldOutput;
}

/** A chain of Pulses, mostly of one transaction each, executed by stack B over all of the state. */
export class Story {
  trees: readonly PartialTree[];
  pulse = 0n;
  timeMs = START_MS;
  peaks: Uint8Array[] = [];
  knowledge: { root: Uint8Array; size: bigint } = { root: new Uint8Array(32), size: 0n };
  /** Its Pulses so far. */
  readonly told: Told[] = [];
  readonly #next = new Map<string, bigint>();

  /** @param more what there is beside the wallets' accounts. */
  constructor(wallets: readonly Wallet[], more: ReadonlyMap<string, StateObject> = new Map()) {
    const funded = genesisOf(wallets.map((one) => [one, FUNDS] as const));
    this.trees = treesOf(new Map([...funded, ...more]), 3);
    this.knowledge.root = inputOf(this.trees, []).before.knowledgeRoot;
  }

  /** Executes one transaction; its receipt and the id of the first object that it made. */
  async act(wallet: Wallet, tag: number, body: unknown, extra: Partial<Wanted> = {}): Promise<
    { receipt: Receipt; made: string; reason: string | null }
  > {
    const unit = await this.unit(wallet, tag, body, extra);
    const [receipt] = this.execute([unit]);
    if (!receipt) throw new Error("no receipt");
    const { outcome } = receipt;
    const reason = outcome.kind === "failed" ? outcome.body : null;
    return { receipt, made: madeBy(unit, 0), reason };
  }

  /** A unit of one transaction, in its account's next slot. */
  unit(
    wallet: Wallet,
    tag: number,
    body: unknown,
    extra: Partial<Wanted> = {},
  ): Promise<Uint8Array> {
    const account = extra.account ?? wallet.account;
    const sequence = this.#next.get(account) ?? 0n;
    this.#next.set(account, sequence + 1n);
    return unitOf(wallet, sequence, [{ tag, body, ...extra }]);
  }

  /** Executes units in one Pulse, which issues at most one claim. */
  execute(units: readonly Uint8Array[], closesSession = false): readonly Receipt[] {
    const { before } = inputOf(this.trees, []);
    this.pulse += 1n;
    const input = inputOf(this.trees, units.map((unit) => ordered(unit)), {
      pulse: this.pulse,
      beacon: this.beacon(this.pulse),
      timeMs: this.timeMs,
      closesSession,
      before: {
        ...before,
        knowledgeRoot: this.knowledge.root,
        knowledgeSize: this.knowledge.size,
      },
      peaks: this.peaks,
    });
    const { output, receipts, trees } = executeByStackB(input);
    this.told.push({ input, output });
    this.trees = trees;
    if (output.knowledgeSize > this.knowledge.size) {
      const log = { size: this.knowledge.size, peaks: this.peaks };
      const claim = receipts.at(-1)?.made.at(-1) ?? "";
      this.peaks = [...append(log, idBytes(claim)).peaks];
    }
    this.knowledge = { root: output.knowledgeRoot, size: output.knowledgeSize };
    return receipts;
  }

  /** As `act`, of what must succeed: the id made. */
  async does(wallet: Wallet, tag: number, body: unknown): Promise<string> {
    const { reason, made } = await this.act(wallet, tag, body);
    expect(reason).toBeNull();
    return made;
  }

  /** The beacon of a Pulse. */
  beacon(pulse: bigint): string {
    return toHex(taggedHash("test/beacon", encode(u64, pulse)));
  }

  /** The bytes of an object, by its key. */
  bytes(key: string): Uint8Array {
    const bytes = shownBy(this.trees).get(key);
    if (!bytes) throw new Error(`nothing at ${key}`);
    return bytes;
  }

  object<K extends ObjectKind>(kind: K, id: string): BodyOf<K> {
    const object = decode(objectCodec, this.bytes(kind === "account" ? accountKey(id) : id));
    if (object.kind !== kind) throw new Error(`no ${kind} ${id}`);
    return object.body as BodyOf<K>;
  }

  balance(wallet: { account: string }): bigint {
    return this.object("account", wallet.account).balances.get(USD) ?? 0n;
  }
}
