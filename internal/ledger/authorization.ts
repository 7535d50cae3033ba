/** Whether those who signed a unit may act for its accounts. */
import { idBytes } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Ledger } from "./ledger.ts";
import { accountId } from "./policy.ts";
import type { SignedUnit } from "./unit.ts";
import { authorizationFault } from "./unit_codec.ts";

/**
 * True when the policy and salts hash to every member's account, and exactly the policy's threshold
 * of its keys signed the unit's digest, each with a valid dual signature, and every signature that a
 * body holds is valid too. Never throws on what a decoded unit holds.
 */
export async function verifyAuthorization(
  backend: DualBackend,
  signed: SignedUnit,
  ledger: Ledger,
): Promise<boolean> {
  const { unit, authorization } = signed;
  if (authorizationFault(authorization, unit.members.length) !== undefined) return false;
  if (!controlsAll(signed)) return false;
  const digest = idBytes(ledger.unitDigest(unit));
  for (const { key, signature } of authorization.signatures) {
    const publicKey = authorization.policy.keys[key];
    if (publicKey === undefined || !await backend.verify(publicKey, digest, signature)) {
      return false;
    }
  }
  for (const consent of ledger.consents(unit)) {
    const { publicKey, signature } = consent;
    if (!await backend.verify(publicKey, consent.digest, signature)) return false;
  }
  return true;
}

/** Whether the policy controls every member's account under the salts given. */
function controlsAll({ unit, authorization: { policy, salts } }: SignedUnit): boolean {
  const known = new Map<string, string>();
  return unit.members.every(({ account }, at) => {
    const salt = salts[at];
    if (salt === undefined) return false;
    const key = salt.join();
    let controlled = known.get(key);
    if (controlled === undefined) {
      controlled = accountId(policy, salt);
      known.set(key, controlled);
    }
    return controlled === account;
  });
}
