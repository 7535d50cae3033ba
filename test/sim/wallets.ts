/**
 * Clients: they sign, submit, submit again what has no receipt, and sign anew what has expired. A
 * dishonest one also signs two units for one slot. Every unit there is was signed here.
 */
import { idBytes, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Action, Ledger, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import { accountOf, payMemo, payTo, policyOf } from "../ledger/_world.ts";
import { PRINCIPAL, ROBOT } from "./agent_life.ts";
import type { Newest, Send, Steps } from "./life.ts";
import { Life } from "./life.ts";
import type { Owner } from "./owner.ts";
import { accountOfOwner, pocketOf, signingOf } from "./owner.ts";
import type { Random } from "./random.ts";
import type { KnownUnit } from "./statement_book.ts";
import { slotName } from "./statement_book.ts";

/** Kinds that nothing can make fail once they are final. */
const CERTAIN: ReadonlySet<Action["kind"]> = new Set(["pay", "pay_memo"]);

/** Accounts that a run begins with, besides those that pay. */
export const EXTRA_WALLETS = [PRINCIPAL, ROBOT, "probe-0", "probe-1", "probe-2", "probe-3"];

/** How often an owner signs anew for one slot. */
const MAX_RENEWED = 6;

/** A unit with its whereabouts. */
export interface SentUnit extends KnownUnit {
  readonly signed: SignedUnit;
  /** Whose slots it takes; one signature covers all. */
  readonly owners: readonly Owner[];
  readonly actions: readonly Action[];
  /** Ids of what it made, for the life that waits for them. */
  readonly made: string[];
  readonly forced: boolean;
  /** Every validator gets it sooner or later; false for what a dishonest owner hands out as it likes. */
  readonly again: boolean;
}

/** What wallets work with. */
export interface WalletOptions {
  readonly ledger: Ledger;
  readonly chain: string;
  readonly random: Random;
  /** The newest Pulse. */
  readonly head: () => number;
  /** The same with its state. */
  readonly newest: () => Newest;
  /** A unit can no longer execute, or has. */
  readonly isOver: (unit: KnownUnit) => boolean;
  /** The unit that used a slot; null: void; undefined: not used. */
  readonly usedBy: (slot: string) => string | null | undefined;
  readonly submit: (validator: number, unit: SentUnit) => void;
  readonly receipts: (unit: string) => readonly Receipt[];
}

/** How an owner wants a unit. */
export interface Wish {
  readonly at: readonly number[];
  readonly validFor?: number;
  readonly sequence?: bigint;
  readonly forced?: boolean;
  readonly again?: boolean;
  /** The ledger must never let it succeed. */
  readonly forbidden?: boolean;
  /** Nothing can make it fail once it is final; payments are so without saying. */
  readonly certain?: boolean;
}

/** All clients of a run. */
export class Wallets {
  readonly #options: WalletOptions;
  readonly units = new Map<string, SentUnit>();
  readonly #next = new Map<string, bigint>();
  /** Slots for which a unit was signed anew after all before had expired. */
  readonly #renewed = new Map<string, number>();
  /** Owners who blocked their own lane for as long as a unit is valid. */
  readonly #blocked = new Set<string>();
  /** By what they do; each once in a run. */
  readonly #lives = new Map<string, Life>();

  constructor(options: WalletOptions) {
    this.#options = options;
  }

  /** Signs and submits. */
  send(by: Owner | readonly Owner[], actions: readonly Action[], wish: Wish): SentUnit {
    const { ledger, chain, head, submit } = this.#options;
    const owners = typeof by === "string" ? actions.map(() => by) : by;
    const members = actions.map((action, at) => {
      const owner = owners[at] as Owner;
      const next = this.#next.get(owner) ?? 0n;
      const sequence = wish.sequence === undefined ? next : wish.sequence + BigInt(at);
      if (sequence >= next) this.#next.set(owner, sequence + 1n);
      return { account: accountOfOwner(owner), sequence, ...action };
    });
    const validUntil = BigInt(head() + (wish.validFor ?? 20));
    const unit = { chain, validUntil, maxFee: 1_000_000n, members };
    const digest = ledger.unitDigest(unit);
    const signed: SignedUnit = {
      unit,
      authorization: {
        policy: policyOf(signingOf(owners[0] as Owner).wallet),
        salts: owners.map((owner) => signingOf(owner).salt),
        signatures: [{ key: 0, signature: unitSignature(digest) }],
      },
    };
    const sent: SentUnit = {
      digest,
      validUntil,
      slots: members.map(({ account, sequence }) => slotName(account, sequence)),
      isCertain: wish.certain ?? actions.every(({ kind }) => CERTAIN.has(kind)),
      isForbidden: wish.forbidden ?? false,
      signed,
      owners: [...new Set(owners)],
      actions,
      made: [],
      forced: wish.forced ?? false,
      again: wish.again ?? true,
    };
    this.units.set(digest, sent);
    for (const validator of wish.at) submit(validator, sent);
    return sent;
  }

  pay(by: Owner, to: string, members: number, wish: Wish): SentUnit {
    return this.send(by, Array.from({ length: members }, () => this.#payment(by, to)), wish);
  }

  /** A payment or more of a wallet and as many of its pocket, taking turns, in one unit. */
  payJointly(by: string, to: string, members: number, wish: Wish): SentUnit {
    const owners = Array.from({ length: members }, () => [by, pocketOf(by)]).flat();
    return this.send(owners, owners.map((owner) => this.#payment(owner, to)), wish);
  }

  #payment(by: Owner, to: string): Action {
    const amount = BigInt(this.#options.random.int(1, 1_000_000));
    // Every fourth says what it is for, so that payments of both kinds follow each other in a lane.
    return amount % 4n === 0n
      ? payMemo(accountOf(to), amount, accountOfOwner(by))
      : payTo([accountOf(to), amount]);
  }

  /**
   * Another unit for the newest slot that the owner signed, or its first. Where a batch has that slot,
   * Stops of it keep the batch from its votes, and its other slots wait until it expires: only who
   * signed both suffers from that, and can end it by signing for the other slots too.
   */
  rival(by: Owner, to: string, wish: Wish): SentUnit {
    const next = this.#next.get(by) ?? 0n;
    const slot = slotName(accountOfOwner(by), next - 1n);
    for (const { slots, owners } of this.units.values()) {
      if (slots.length < 2 || !slots.includes(slot)) continue;
      for (const owner of owners) this.#blocked.add(owner);
    }
    return this.pay(by, to, 1, { ...wish, sequence: next === 0n ? 0n : next - 1n, again: false });
  }

  /** Begins a life, unless there is one of that name. */
  begin(name: string, stepsOf: (send: Send, look: () => Newest) => Steps, wish: Wish): void {
    if (this.#lives.has(name)) return;
    const send: Send = (by, actions, promised) =>
      this.send(by, actions, {
        ...wish,
        forbidden: promised === "forbidden",
        ...(promised === "certain" ? { certain: true } : {}),
      });
    this.#lives.set(name, new Life(stepsOf(send, this.#options.newest)));
  }
  /** Something was executed: the next steps may be possible. */
  goOn(): void {
    const { usedBy, receipts } = this.#options;
    for (const life of this.#lives.values()) {
      life.goOn((slot) => {
        const unit = usedBy(slot);
        if (unit === undefined) return "waiting";
        const made = unit === null ? undefined : receipts(unit).at(-1);
        return made?.outcome.kind === "success" ? { made: made.made } : "failed";
      });
    }
  }
  /** Units that can still execute and that nothing but faults keeps from it. */
  unsettled(): SentUnit[] {
    return [...this.units.values()]
      .filter((unit) => !unit.owners.some((by) => this.#blocked.has(by)))
      .filter((unit) => !this.#options.isOver(unit));
  }
  /** Some life has steps before it. */
  get isBusy(): boolean {
    return [...this.#lives.values()].some(({ isOver }) => !isOver);
  }

  /**
   * What honest clients do now and then: submit again what has no receipt, sign anew what expired.
   * @param everywhere hands out everything, what dishonest owners kept to themselves too.
   */
  again(everywhere: boolean): void {
    const { random, submit, isOver } = this.#options;
    const open = new Set<string>();
    for (const unit of this.units.values()) {
      if (isOver(unit)) continue;
      for (const slot of unit.slots) open.add(slot);
      if (everywhere) { for (const validator of [0, 1, 2, 3]) submit(validator, unit); }
      else if (unit.again) submit(random.int(0, 3), unit);
    }
    for (const by of this.#next.keys()) this.#fill(by, { open, everywhere });
  }

  /** A lane waits for its first free slot: an owner signs for it once nothing else can use it. */
  #fill(
    by: Owner,
    { open, everywhere }: { readonly open: ReadonlySet<string>; readonly everywhere: boolean },
  ): void {
    const { random, usedBy } = this.#options;
    for (let at = 0n; at < (this.#next.get(by) ?? 0n); at++) {
      const slot = slotName(accountOfOwner(by), at);
      if (usedBy(slot) !== undefined) continue;
      if (open.has(slot)) return;
      const renewed = this.#renewed.get(slot) ?? 0;
      if (renewed >= MAX_RENEWED) return;
      this.#renewed.set(slot, renewed + 1);
      const whole = [...this.units.values()].find(({ slots }) =>
        slots.length === 1 && slots[0] === slot
      );
      const wish = { at: [random.int(0, 3)], sequence: at, validFor: everywhere ? 60 : 20 };
      if (whole === undefined) this.pay(by, "bob", 1, wish);
      else {this.send(by, whole.actions, {
          ...wish,
          forbidden: whole.isForbidden,
          certain: whole.isCertain,
        });}
      return;
    }
  }
}

/** What stands for the owner's signature. */
function unitSignature(digest: string): Uint8Array {
  return taggedHash("sim/unit", idBytes(digest));
}

/** True when the owner signed it. */
export function isSignedByOwner(ledger: Ledger, { unit, authorization }: SignedUnit): boolean {
  const signature = authorization.signatures[0]?.signature;
  return signature !== undefined &&
    toHex(signature) === toHex(unitSignature(ledger.unitDigest(unit)));
}
