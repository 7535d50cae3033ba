/**
 * A ledger for tests: wallets by name with 10,000 USD, Pulses executed by hand a second apart, money
 * checked after each of them.
 */
import { encode, idBytes, toHex, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type {
  Action,
  Authorization,
  GenesisMember,
  Ledger,
  LedgerObject,
  LedgerOptions,
  Names,
  ObjectKind,
  Ordered,
  PulseOutput,
  Receipt,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import {
  accountId,
  balanceOf,
  checkConservation,
  createLedger,
  genesisState,
  NO_SALT,
  policyOfKey,
  USD,
} from "#internal/ledger/mod.ts";

export const CHAIN: string = toHex(taggedHash("test/chain"));
export const START_MS = 1_800_000_000_000n;
export const NAMED = ["alice", "bob", "carol", "dana"] as const;
export const FUNDS = 10_000_000_000n;

/** An action of any kind, for tests that add kinds. */
export type AnyAction = Action | { readonly kind: string; readonly body: unknown };

/** Micro-USD of whole and broken USD. */
export function usd(amount: number): bigint {
  return BigInt(Math.round(amount * 1_000_000));
}

export function policyOf(name: string): Authorization["policy"] {
  return policyOfKey(taggedHash("test/key", new TextEncoder().encode(name)));
}

/** The account of a wallet's name, or of an identity's id under a wallet's policy. */
export function accountOf(name: string, salt: Uint8Array = NO_SALT): string {
  return accountId(policyOf(name), salt);
}

/** The beacon of a Pulse of test worlds. */
export function beaconOf(pulse: bigint): Uint8Array {
  return taggedHash("test/beacon", encode(u64, pulse));
}

/** Knows the accounts of the wallets that tests use. */
export const names: Names = (account: string): string | undefined =>
  [...NAMED, "robot", "helper", "mallory"].find((name) => accountOf(name) === account);

export interface WorldOptions extends LedgerOptions {
  readonly shards?: number;
  readonly faucet?: boolean;
  readonly accounts?: readonly (readonly [string, bigint])[];
  /** @default a state without */
  readonly validators?: readonly GenesisMember[];
  /** @default the first never ends */
  readonly epochPulses?: bigint;
}

export class World {
  readonly ledger: Ledger;
  state: PulseOutput["state"];
  pulse = 0n;
  timeMs: bigint = START_MS;
  last: PulseOutput | undefined;

  constructor(options: WorldOptions = {}) {
    this.ledger = createLedger(options);
    this.state = genesisState(this.ledger, {
      shards: options.shards ?? 2,
      faucet: options.faucet ?? true,
      ...(options.validators === undefined ? {} : { validators: options.validators }),
      ...(options.epochPulses === undefined ? {} : { epochPulses: options.epochPulses }),
      accounts: options.accounts ?? NAMED.map((name) => [accountOf(name), FUNDS] as const),
    });
  }

  /** The next slot of an account. */
  sequence(account: string): bigint {
    return this.state.account(account)?.sequence ?? 0n;
  }

  balance(account: string): bigint {
    const value = this.state.account(account);
    return value ? balanceOf(value, USD) : 0n;
  }

  read<V>(kind: ObjectKind<V>, id: string): V | undefined {
    const object: LedgerObject | undefined = this.state.at(id);
    return object?.kind === kind.name ? object.value as V : undefined;
  }

  /** A unit of one wallet, `keyless` the identity whose account acts; `ahead` slots further on. */
  unit(
    name: string,
    actions: readonly AnyAction[],
    options: { keyless?: string; ahead?: number; validUntil?: bigint; maxFee?: bigint } = {},
  ): SignedUnit {
    const salt = options.keyless === undefined ? NO_SALT : idBytes(options.keyless);
    const account = accountOf(name, salt);
    const first = this.sequence(account) + BigInt(options.ahead ?? 0);
    return {
      unit: {
        chain: CHAIN,
        validUntil: options.validUntil ?? this.pulse + 20n,
        maxFee: options.maxFee ?? usd(1),
        members: actions.map((action, at) => ({
          account,
          sequence: first + BigInt(at),
          ...action,
        })),
      },
      authorization: {
        policy: policyOf(name),
        salts: actions.map(() => salt),
        signatures: [{ key: 0, signature: new Uint8Array(32) }],
      },
    };
  }

  /** Executes a Pulse and checks that no money was made or lost. */
  execute(
    ordered: readonly (SignedUnit | Ordered)[],
    advanceMs = 1000n,
    closesSession = false,
  ): PulseOutput {
    this.timeMs += advanceMs;
    const output = this.ledger.execute(this.state, {
      pulse: ++this.pulse,
      timeMs: this.timeMs,
      beacon: beaconOf(this.pulse),
      closesSession,
      ordered: ordered.map((item) =>
        "unit" in item ? { type: "unit", signed: item, forced: false } : item
      ),
    });
    checkConservation(this.ledger, output.state);
    this.state = output.state;
    this.last = output;
    return output;
  }

  /** Executes Pulses of nothing up to one, so that the next is the one after it. */
  passTo(pulse: bigint): void {
    while (this.pulse < pulse) this.execute([]);
  }

  /** One transaction in a Pulse of its own. */
  do(
    name: string,
    action: AnyAction,
    options: { keyless?: string; advanceMs?: bigint } = {},
  ): Receipt {
    const { receipts } = this.execute([this.unit(name, [action], options)], options.advanceMs);
    return receipts[0] as Receipt;
  }

  /** As `do`, where it is part of setting up: it must succeed. The id of what it made first. */
  make(name: string, action: AnyAction, options: { keyless?: string } = {}): string {
    const receipt = this.do(name, action, options);
    if (receipt.outcome.kind !== "success") throw new Error(JSON.stringify(receipt.outcome));
    return receipt.made[0] ?? "";
  }

  /** The sentence of the only receipt of the last Pulse. */
  sentence(action: AnyAction): string {
    const receipt = this.last?.receipts[0] as Receipt;
    const { account, sequence } = receipt;
    return this.ledger.outcome(receipt, { account, sequence, ...action }, names);
  }
}

/** The reason of a failure; undefined of anything else. */
export function reasonOf(receipt: Receipt): string | undefined {
  return receipt.outcome.kind === "failed" ? receipt.outcome.reason : undefined;
}

export function payTo(...outputs: readonly (readonly [string, bigint])[]): Action {
  return { kind: "pay", body: { asset: USD, outputs: outputs.map(([to, n]) => [to, n]) } };
}

/** A payment of USD with a memo. */
export function payMemo(payee: string, amount: bigint, memo: string): Action {
  return { kind: "pay_memo", body: { asset: USD, payee, amount, memo } };
}
