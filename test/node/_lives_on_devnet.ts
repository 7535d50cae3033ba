/** The simulator's lives, led by wallets of a devnet: their steps, with the ids that the devnet has. */
import { decode, fromHex, idBytes, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Action, Ledger, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import { accountId } from "#internal/ledger/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { devnetWalletSeed } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { accountOf, payTo } from "../ledger/_world.ts";
import type { Promised, Send, Steps } from "../sim/life.ts";
import { Life } from "../sim/life.ts";
import type { Owner } from "../sim/owner.ts";
import { accountOfOwner, signingOf } from "../sim/owner.ts";
import { testWallet } from "./devnet_fixture.ts";

/** Far enough ahead that nothing expires. */
const VALIDITY_PULSES = 5000n;
/** Fees and all, micro-USD. */
const MAX_FEE = 1_000_000n;

/** A unit that waits for its receipts. */
interface Waiting {
  readonly owners: readonly Owner[];
  actions: readonly Action[];
  readonly slots: readonly { readonly account: string; readonly sequence: bigint }[];
  readonly made: string[];
  readonly promised: Promised | undefined;
  /** Something else took its slots. */
  isReplaced: boolean;
  signed: SignedUnit | undefined;
}

/** What lives are led with. */
export interface LivesOptions {
  readonly calls: RpcCalls;
  readonly chain: string;
  readonly ledger: Ledger;
  readonly backend: DualBackend;
  /** Ids and keys of the test world's, as hex, with those of the devnet in their place. */
  readonly instead: readonly (readonly [ofWorld: string, ofDevnet: string])[];
}

/** Lives on a devnet. What they say of the test world's wallets is said of the devnet's. */
export class LivesOnDevnet {
  readonly #options: LivesOptions;
  readonly #lives = new Map<string, Life>();
  readonly #instead: Map<string, string>;
  readonly #wallets = new Map<string, Awaited<ReturnType<typeof testWallet>>>();
  readonly #next = new Map<string, bigint>();
  #waiting: Waiting[] = [];
  readonly #receipts = new Map<string, Receipt>();
  #pulse = 0;

  constructor(options: LivesOptions) {
    this.#options = options;
    this.#instead = new Map(options.instead);
  }

  /** Gets wallets ready to sign; the slots they have used are the devnet's. */
  async add(names: readonly string[]): Promise<void> {
    const { ledger, backend, calls } = this.#options;
    for (const name of names) {
      const wallet = await testWallet(name, ledger, backend);
      this.#wallets.set(name, wallet);
      this.#instead.set(accountOf(name), wallet.account);
      this.#next.set(wallet.account, (await calls.account({ account: wallet.account })).sequence);
    }
  }

  /** Begins a life. */
  begin(name: string, stepsOf: (send: Send) => Steps): void {
    this.#lives.set(name, new Life(stepsOf((...sent) => this.send(...sent))));
  }

  /** Those that have steps before them. */
  get unfinished(): string[] {
    return [...this.#lives].flatMap(([name, { isOver }]) => isOver ? [] : [name]);
  }

  /** What came out otherwise than it must whatever else happens. */
  readonly broken: string[] = [];

  /** Everything that was executed. */
  get receipts(): readonly Receipt[] {
    return [...this.#receipts.values()];
  }

  /** Takes the next slots of owners; `goOn` signs and hands in. */
  send(...[by, actions, promised]: Parameters<Send>): ReturnType<Send> {
    const owners = typeof by === "string" ? actions.map(() => by) : by;
    const slots = owners.map((owner) => {
      const account = this.#translated(accountOfOwner(owner));
      const sequence = this.#next.get(account) ?? 0n;
      this.#next.set(account, sequence + 1n);
      return { account, sequence };
    });
    const made: string[] = [];
    this.#waiting.push({
      owners,
      actions: actions.map((action) => this.#translated(action)),
      slots,
      made,
      promised,
      isReplaced: false,
      signed: undefined,
    });
    return { slots: slots.map(nameOf), isForbidden: promised === "forbidden", made };
  }

  /** Hands in what has no receipt, reads what was executed, and lets lives take their next steps. */
  async goOn(): Promise<void> {
    for (const unit of this.#waiting) await this.#submit(unit);
    await this.#read();
    this.#waiting = this.#waiting.filter(({ slots }) =>
      slots.some((slot) => !this.#receipts.has(nameOf(slot)))
    );
    for (const life of this.#lives.values()) {
      life.goOn((slot) => {
        const receipt = this.#receipts.get(slot);
        if (receipt === undefined) return "waiting";
        return receipt.outcome.kind === "success" ? { made: receipt.made } : "failed";
      });
    }
  }

  async #submit(unit: Waiting): Promise<void> {
    const { calls, ledger } = this.#options;
    unit.signed ??= await this.#sign(unit);
    const { code } = await calls.submit({ tx: ledger.encodeSigned(unit.signed) });
    // Evidence that nobody signed never executes: something else takes its slot.
    if (code !== "authorization") return;
    unit.actions = unit.actions.map(() => this.#translated(payTo([accountOf("bob"), 1n])));
    unit.isReplaced = true;
    unit.signed = undefined;
  }

  async #sign({ owners, actions, slots }: Waiting): Promise<SignedUnit> {
    const { backend, calls, chain, ledger } = this.#options;
    const { pulse } = await calls.status({});
    const members = actions.map((action, at) => ({ ...slots[at] as typeof slots[0], ...action }));
    const validUntil = BigInt(pulse) + VALIDITY_PULSES;
    const unit = { chain, validUntil, maxFee: MAX_FEE, members };
    const by = signingOf(owners[0] as Owner).wallet;
    const keys = await backend.keysFromSeed(devnetWalletSeed(by));
    const digest = fromHex(ledger.unitDigest(unit));
    return {
      unit,
      authorization: {
        policy: this.#walletOf(by).policy,
        salts: owners.map((owner) => signingOf(owner).salt),
        signatures: [{ key: 0, signature: await backend.sign(keys, digest, systemRandom) }],
      },
    };
  }

  /** Receipts of the Pulses that were executed since. */
  async #read(): Promise<void> {
    const { calls, ledger } = this.#options;
    const { pulse } = await calls.status({});
    for (; this.#pulse < pulse; this.#pulse++) {
      const number = this.#pulse + 1;
      for (let from = 0, count = 1; from < count;) {
        const page = await calls.receipts({ number, from });
        ({ count } = page);
        from += page.receipts.length;
        for (const bytes of page.receipts) this.#take(decode(ledger.receiptCodec, fromHex(bytes)));
      }
    }
  }

  #take(receipt: Receipt): void {
    this.#receipts.set(nameOf(receipt), receipt);
    const sent = this.#waiting.find(({ slots }) =>
      slots.some((s) => nameOf(s) === nameOf(receipt))
    );
    if (sent === undefined) return;
    const { owners, actions } = sent;
    if (actions.every(({ kind }) => kind !== receipt.kind)) {
      throw new Error(`a ${receipt.kind} that is no step took a slot of ${owners.join()}`);
    }
    sent.made.push(...receipt.made);
    const isDone = receipt.outcome.kind === "success";
    if (!sent.isReplaced && sent.promised === (isDone ? "forbidden" : "certain")) {
      this.broken.push(`${receipt.kind} of ${owners.join()} at Pulse ${receipt.pulse}`);
    }
    // An agent without a key acts through its wallet, with its own id as the salt.
    for (const name of new Set(owners.map((owner) => signingOf(owner).wallet))) {
      for (const id of receipt.made) {
        const salt = idBytes(id);
        this.#instead.set(accountOf(name, salt), accountId(this.#walletOf(name).policy, salt));
      }
    }
  }

  #walletOf(name: string): Awaited<ReturnType<typeof testWallet>> {
    const wallet = this.#wallets.get(name);
    if (wallet === undefined) throw new Error(`no wallet ${name}`);
    return wallet;
  }

  /** The same value with the devnet's ids and keys in it. */
  #translated<T>(value: T): T {
    return translate(value, (hex) => this.#instead.get(hex) ?? hex) as T;
  }
}

function nameOf({ account, sequence }: { readonly account: string; readonly sequence: bigint }) {
  return `${account}/${sequence}`;
}

function translate(value: unknown, instead: (hex: string) => string): unknown {
  if (typeof value === "string") return value.replace(/[0-9a-f]{64}/gu, instead);
  if (value instanceof Uint8Array) return fromHex(instead(toHex(value)));
  if (Array.isArray(value)) return value.map((each) => translate(each, instead));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, translate(each, instead)]),
  );
}
