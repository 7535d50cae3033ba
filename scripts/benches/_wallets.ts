/** Devnet wallets as benchmarks sign for them, without a client and its files. */
import { randomBytes } from "node:crypto";
import { fromHex } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { Ledger, Member, Policy, Unit } from "#internal/ledger/mod.ts";
import { accountId, NO_SALT, policyOfKey, USD } from "#internal/ledger/mod.ts";
import { devnetWalletSeed } from "#internal/rpc/mod.ts";

/** A wallet that can sign. */
export type BenchWallet = {
  readonly account: string;
  readonly policy: Policy;
  /** The encoding of the unit with the wallet's signature. */
  readonly sign: (ledger: Ledger, unit: Unit) => Promise<Uint8Array>;
};

/** The deterministic wallet of a name. */
export async function walletNamed(name: string): Promise<BenchWallet> {
  const backend = await loadDualBackend();
  const keys = await backend.keysFromSeed(devnetWalletSeed(name));
  const { account, policy } = accountOfKey(keys.publicKey);
  return {
    account,
    policy,
    async sign(ledger, unit) {
      const message = fromHex(ledger.unitDigest(unit));
      const signature = await backend.sign(keys, message, (length) => randomBytes(length));
      const salts = unit.members.map(() => NO_SALT);
      const authorization = { policy, salts, signatures: [{ key: 0, signature }] };
      return ledger.encodeSigned({ unit, authorization });
    },
  };
}

/** The account of one public key, and its policy. */
export function accountOfKey(publicKey: Uint8Array): Pick<BenchWallet, "account" | "policy"> {
  const policy = policyOfKey(publicKey);
  return { account: accountId(policy, NO_SALT), policy };
}

/** What a unit of payments says besides who makes them. */
export type PaymentUnit = {
  readonly chain: string;
  readonly validUntil: bigint;
  /** The first member's slot. */
  readonly sequence: bigint;
  /** Who is paid, a member each. */
  readonly payees: readonly string[];
  /** Micro-USD to each. */
  readonly amount: bigint;
};

/** The unit that a wallet makes of payments, bound to the fees that they cost. */
export function unitOfPayments(
  ledger: Ledger,
  { account, policy }: Pick<BenchWallet, "account" | "policy">,
  { chain, validUntil, sequence, payees, amount }: PaymentUnit,
): Unit {
  const members = payees.map((payee, index): Member => ({
    account,
    sequence: sequence + BigInt(index),
    kind: "pay",
    body: { asset: USD, outputs: [[payee, amount]] },
  }));
  const unbounded: Unit = { chain, validUntil, maxFee: 0n, members };
  const fees = ledger.fees({ unit: unbounded, authorization: { policy } });
  return { ...unbounded, maxFee: fees.reduce((sum, fee) => sum + fee, 0n) };
}
