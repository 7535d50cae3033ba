/**
 * The execution of one Pulse. (1) What its certificate fixed, lane by lane up to the first that it
 * does not fix: independent across lanes, so shards could do it side by side. (2) The rest, one
 * after another over all shards. (3) Credits, fees and claims. All in certified order. (4) At a
 * session's end the epoch's, if it is due, and the validators of the next. (5) Every eighth Pulse's
 * beacon.
 */
import { encode, encodeEach, idBytes, toHex } from "#internal/core/mod.ts";
import type { Codec } from "#internal/core/mod.ts";
import { logAppend, logPeaksRoot } from "#internal/merkle/mod.ts";
import { accountKeys } from "./account_key.ts";
import { checkStep } from "./conservation.ts";
import { LedgerError } from "./errors.ts";
import type { Fee } from "./fees.ts";
import { unitFees, VOID_FEE } from "./fees.ts";
import type { LedgerEventBody } from "./event_value.ts";
import { fixedBy } from "./kind.ts";
import type { Ordered, PulseInput, PulseOutput } from "./ledger.ts";
import type { LedgerObject } from "./object_kind.ts";
import type { Account } from "./objects/account.ts";
import { accountKind, balanceOf, EMPTY_ACCOUNT, withBalance } from "./objects/account.ts";
import type { Asset } from "./objects/asset.ts";
import { assetKind, USD } from "./objects/asset.ts";
import type { KeptBeacon } from "./objects/beacon.ts";
import { beaconKind, beaconSlot, keepsBeacon } from "./objects/beacon.ts";
import { splitPhases } from "./phases.ts";
import type { LedgerEvent, Receipt, TxOutcome } from "./receipt.ts";
import { receiptsRoot, VOID_KIND } from "./receipt.ts";
import type { Kinds } from "./registry.ts";
import { kindNamed, objectCodec } from "./registry.ts";
import type { Credit } from "./shard_leaf.ts";
import { leavesRoot, shardLeaves } from "./shard_leaf.ts";
import type { SessionEnd } from "./staking/committee.ts";
import { closeSession } from "./staking/committee.ts";
import type { ChangedObject, LedgerState } from "./state.ts";
import { TxView } from "./tx_view.ts";
import type { SignedUnit } from "./unit.ts";
import type { UnitCoding } from "./unit_codec.ts";
import { voidDigest } from "./unit_codec.ts";
import { TxFailure } from "./view.ts";

/** What execution needs of a ledger. */
export interface Rules {
  readonly kinds: Kinds;
  readonly coding: UnitCoding;
  readonly receiptCodec: Codec<Receipt>;
}

/** A receipt with what phase 3 does for it. */
interface Executed {
  readonly receipt: Receipt;
  readonly credits: readonly Credit[];
  readonly claims: readonly string[];
}

/** See `Ledger.execute`. */
export function executePulse(rules: Rules, state: LedgerState, input: PulseInput): PulseOutput {
  const run = new PulseRun(rules, state, input);
  const slots: Executed[][] = input.ordered.map(() => []);
  const [first, rest] = splitPhases(rules.kinds.tx, input.ordered);
  for (const at of [...first, ...rest]) slots[at] = run.execute(input.ordered[at] as Ordered);
  return run.close(slots.flat());
}

class PulseRun {
  readonly #rules: Rules;
  readonly #state: LedgerState;
  readonly #input: PulseInput;
  readonly #objects = new Map<string, LedgerObject>();
  readonly #touched = new Set<string>();
  #endsSession = false;
  /** The keys of accounts met so far: each costs a hash. */
  readonly #keys = new Map<string, string>();
  #fees = 0n;

  constructor(rules: Rules, state: LedgerState, input: PulseInput) {
    this.#rules = rules;
    this.#state = state;
    this.#input = input;
    this.#meet(
      input.ordered.flatMap((item) =>
        item.type === "void"
          ? [item.account]
          : item.signed.unit.members.map(({ account }) => account)
      ),
    );
  }

  #read(key: string): LedgerObject | undefined {
    this.#touched.add(key);
    return this.#objects.get(key) ?? this.#state.at(key);
  }

  /** Makes known the keys of accounts that will be met. */
  #meet(accounts: Iterable<string>): void {
    const fresh = [...new Set(accounts)].filter((account) => !this.#keys.has(account));
    for (const [at, key] of accountKeys(fresh).entries()) this.#keys.set(fresh[at] as string, key);
  }

  #key(account: string): string {
    const key = this.#keys.get(account);
    if (key === undefined) throw new TypeError(`Account ${account} was not to be met`);
    return key;
  }

  #account(id: string): Account {
    return (this.#read(this.#key(id))?.value ?? EMPTY_ACCOUNT) as Account;
  }

  #putAccount(id: string, value: Account): void {
    this.#objects.set(this.#key(id), { kind: accountKind.name, value });
  }

  execute(item: Ordered): Executed[] {
    if (item.type === "void") return [this.#settleVoid(item.account, item.sequence)];
    const fees = unitFees(this.#rules.kinds.tx, item.signed);
    return fees.map((fee, index) => this.#member(item.signed, index, fee));
  }

  /** Consumes the slot and takes the fee, or what there is of it. */
  #consume(account: string, sequence: bigint, fee: bigint): { account: Account; taken: bigint } {
    const before = this.#account(account);
    if (before.sequence !== sequence) {
      throw new LedgerError(
        "sequence",
        `Cannot execute: slot ${sequence} of ${account} is given, ${before.sequence} is next`,
        { data: { account, expected: before.sequence, given: sequence } },
      );
    }
    const balance = balanceOf(before, USD);
    const taken = balance < fee ? balance : fee;
    this.#fees += taken;
    const paid = withBalance(before, USD, -taken);
    const after = { sequence: sequence + 1n, balances: paid.balances };
    this.#putAccount(account, after);
    return { account: after, taken };
  }

  #settleVoid(account: string, sequence: bigint): Executed {
    const { taken } = this.#consume(account, sequence, VOID_FEE);
    const digest = voidDigest(account, sequence);
    const receipt: Receipt = {
      digest,
      unit: digest,
      index: 0,
      pulse: this.#input.pulse,
      account,
      sequence,
      kind: VOID_KIND,
      outcome: { kind: "void" },
      fee: taken,
      events: [],
      made: [],
    };
    return { receipt, credits: [], claims: [] };
  }

  #member(signed: SignedUnit, index: number, fee: Fee): Executed {
    const { coding } = this.#rules;
    const { account, sequence, kind } = memberAt(signed, index);
    const consumed = this.#consume(account, sequence, fee.floor);
    const digest = coding.memberDigests(signed.unit)[index] as string;
    const made = (outcome: TxOutcome, view: TxView | undefined, taken: bigint): Executed => ({
      receipt: {
        digest,
        unit: coding.unitDigest(signed.unit),
        index,
        pulse: this.#input.pulse,
        account,
        sequence,
        kind,
        outcome,
        fee: taken,
        events: view?.events ?? [],
        made: view?.made ?? [],
      },
      credits: view?.credits ?? [],
      claims: view?.claims ?? [],
    });
    const failed = (reason: string): Executed =>
      made({ kind: "failed", reason }, undefined, consumed.taken);
    if (consumed.taken < fee.floor || balanceOf(consumed.account, USD) < fee.beyond) {
      return failed("invalid transaction: the balance does not cover the fee");
    }
    const view = this.#open(signed, index, digest, consumed.account, fee.beyond);
    try {
      const { body } = memberAt(signed, index);
      kindNamed(this.#rules.kinds.tx, kind).apply(view, body);
    } catch (thrown) {
      if (thrown instanceof TxFailure) return failed(thrown.reason);
      throw thrown;
    }
    for (const [id, object] of view.writes) this.#objects.set(id, object);
    this.#endsSession ||= view.endsSession;
    this.#putAccount(account, withBalance(view.account, USD, -fee.beyond));
    this.#fees += fee.beyond;
    return made({ kind: "success" }, view, fee.floor + fee.beyond);
  }

  #open(signed: SignedUnit, index: number, digest: string, account: Account, setAside: bigint) {
    const { kinds: { tx, object }, coding } = this.#rules;
    const { account: actor, kind, body } = memberAt(signed, index);
    const known = kindNamed(tx, kind);
    const declared = known.touches?.(body, actor) ?? {};
    if (fixedBy(known, body) === "outcome" && (declared.shared ?? []).length > 0) {
      throw new TypeError(`Cannot execute ${kind}: it declares a fixed outcome and shared objects`);
    }
    return new TxView({
      moment: this.#input,
      actor,
      digest,
      policy: signed.authorization.policy,
      touches: declared,
      account,
      setAside,
      kinds: object,
      read: (id) => this.#read(id),
      unitOf: (bytes) => coding.decodeUnit(bytes),
    });
  }

  /** Phases 3 to 5, and what the Pulse came to. */
  close(executed: readonly Executed[]): PulseOutput {
    const credits = executed.flatMap((one) => one.credits);
    this.#meet(credits.map(({ account }) => account));
    for (const { account, asset, amount } of credits) {
      this.#putAccount(account, withBalance(this.#account(account), asset, amount));
    }
    this.#collectFees();
    const end = this.#closeSession();
    this.#keepBeacon();
    const { events, knowledge } = this.#publish(executed, end?.event ?? null);
    checkStep(this.#rules.kinds.object, this.#state, this.#objects);
    const changed = this.#encodeChanged();
    const log = knowledge.reduce(logAppend, this.#state.knowledge);
    const state = this.#state.with(changed, log);
    const receipts = executed.map(({ receipt }) => receipt);
    const receiptBytes = encodeEach(this.#rules.receiptCodec, receipts);
    const leaves = shardLeaves(this.#state, state, executed);
    return {
      state,
      receipts,
      receiptBytes,
      endsSession: this.#endsSession,
      committee: end?.committee ?? null,
      events,
      roots: {
        state: state.root(),
        knowledge: logPeaksRoot(log),
        knowledgeSize: log.size,
        receipts: receiptsRoot(receiptBytes),
        leaves: leavesRoot(leaves),
      },
      leaves,
      changed: new Map([...changed].map(([id, { bytes }]) => [id, bytes])),
      knowledge,
      touched: this.#touched,
    };
  }

  /** Phase 4, of a session's last Pulse alone. */
  #closeSession(): SessionEnd | null {
    if (this.#input.closesSession !== true) return null;
    return closeSession({
      read: (id) => this.#read(id),
      write: (id, object) => {
        this.#touched.add(id);
        this.#objects.set(id, object);
      },
    }, this.#input.pulse);
  }

  /** Phase 5: after all transactions, so that none of the Pulse finds its own beacon. */
  #keepBeacon(): void {
    const { pulse, beacon } = this.#input;
    if (!keepsBeacon(pulse)) return;
    const slot = beaconSlot(pulse);
    const value: KeptBeacon = { pulse, beacon: toHex(beacon) };
    this.#touched.add(slot);
    this.#objects.set(slot, { kind: beaconKind.name, value });
  }

  #collectFees(): void {
    if (this.#fees === 0n) return;
    const object = this.#read(USD);
    if (object?.kind !== assetKind.name) {
      throw new LedgerError("state", "Cannot execute: the state has no USD asset");
    }
    const asset = object.value as Asset;
    const value: Asset = { ...asset, fees: asset.fees + this.#fees };
    this.#objects.set(USD, { kind: assetKind.name, value });
  }

  /** @param last the event that no transaction caused; null for none. */
  #publish(
    executed: readonly Executed[],
    last: LedgerEventBody | null,
  ): { events: LedgerEvent[]; knowledge: Uint8Array[] } {
    const { pulse } = this.#input;
    const events: LedgerEvent[] = [];
    const knowledge: Uint8Array[] = [];
    let logIndex = this.#state.knowledge.size;
    for (const { receipt, claims } of executed) {
      for (const event of receipt.events) events.push({ pulse, tx: receipt.digest, event });
      for (const claim of claims) {
        const event = { ClaimIssued: { claim, log_index: logIndex++ } };
        events.push({ pulse, tx: null, event });
        knowledge.push(idBytes(claim));
      }
    }
    if (last !== null) events.push({ pulse, tx: null, event: last });
    return { events, knowledge };
  }

  #encodeChanged(): Map<string, ChangedObject> {
    const codec = objectCodec(this.#rules.kinds.object);
    const changed = new Map<string, ChangedObject>();
    for (const [id, object] of this.#objects) {
      changed.set(id, { object, bytes: encode(codec, object) });
    }
    return changed;
  }
}

function memberAt({ unit }: SignedUnit, index: number): SignedUnit["unit"]["members"][number] {
  const member = unit.members[index];
  if (member === undefined) throw new RangeError(`A unit has no member ${index}`);
  return member;
}
