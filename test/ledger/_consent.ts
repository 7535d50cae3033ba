/** Actions of an operator that need the consent of a validator's key. */
import { fromHex } from "#internal/core/mod.ts";
import type { DualKeys } from "#internal/crypto/mod.ts";
import { loadDualBackend, taggedHash } from "#internal/crypto/mod.ts";
import type { Action, SignedUnit } from "#internal/ledger/mod.ts";
import {
  accountId,
  createLedger,
  NO_SALT,
  policyOfKey,
  verifyAuthorization,
} from "#internal/ledger/mod.ts";
import { CHAIN, usd } from "./_world.ts";

/** An operator's and a fresh validator's keys, and where what needs the fresh one's consent is. */
export async function consenting(): Promise<{
  readonly operator: DualKeys;
  readonly fresh: DualKeys;
  readonly place: { readonly chain: string; readonly account: string; readonly sequence: bigint };
  /** What `by` signs of a digest. */
  consent(by: DualKeys, digest: Uint8Array): Promise<Uint8Array>;
  /** Whether a unit of this alone, signed by the operator, is authorized. */
  isAuthorized(action: Action): Promise<boolean>;
}> {
  const backend = await loadDualBackend("insecure");
  const random = (length: number) => new Uint8Array(length);
  const operator = await backend.keysFromSeed(taggedHash("test/operator"));
  const fresh = await backend.keysFromSeed(taggedHash("test/fresh"));
  const ledger = createLedger();
  const policy = policyOfKey(operator.publicKey);
  const account = accountId(policy, NO_SALT);
  const place = { chain: CHAIN, account, sequence: 7n };
  return {
    operator,
    fresh,
    place,
    consent: (by, digest) => backend.sign(by, digest, random),
    async isAuthorized(action) {
      const unit: SignedUnit["unit"] = {
        chain: CHAIN,
        validUntil: 9n,
        maxFee: usd(1),
        members: [{ account, sequence: 7n, ...action }],
      };
      const digest = fromHex(ledger.unitDigest(unit));
      const signatures = [{ key: 0, signature: await backend.sign(operator, digest, random) }];
      const authorization = { policy, salts: [NO_SALT], signatures };
      return await verifyAuthorization(backend, { unit, authorization }, ledger);
    },
  };
}
