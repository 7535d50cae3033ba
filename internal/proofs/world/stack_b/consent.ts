/** That the owners of the accounts asked for what is done in their name. */
import { idBytes } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { WorldInput } from "../world_input.ts";
import { fail } from "./error.ts";
import { accountOf } from "./policy.ts";
import type { SignedUnit } from "./unit.ts";
import { decodeUnit, wholeFee } from "./unit.ts";

/**
 * All of it but the signatures: the unit is of this chain, its policy is that of every account, and
 * it does not cost more than was agreed to.
 * @throws {SionError} `unit` or `authorization`.
 */
export function checkConsent(chain: string, signed: SignedUnit): void {
  const { unit, policy, salts } = signed;
  if (unit.chain !== chain) fail("unit", "a unit is of another chain");
  for (const [i, member] of unit.members.entries()) {
    if (accountOf(policy, salts[i] as Uint8Array) !== member.account) {
      fail("authorization", "a unit's policy is not that of its account");
    }
  }
  const fees = unit.members.reduce((sum, member) => sum + wholeFee(signed, member), 0n);
  if (fees > unit.maxFee) fail("authorization", "a unit costs more than its owner agreed to");
}

/**
 * Verifies every client signature of a Pulse, those in bodies too, both halves.
 * @throws {SionError} `authorization` at the first that does not hold.
 */
export async function verifySignatures(input: WorldInput, backend: DualBackend): Promise<void> {
  for (const entry of input.ordered) {
    if (entry.type === "void") continue;
    const signed = decodeUnit(entry.bytes);
    await verifyBodies(signed, backend);
    const message = idBytes(signed.digest);
    for (const { key, signature } of signed.signatures) {
      const publicKey = signed.policy.keys[key] as Uint8Array;
      if (!await backend.verify(publicKey, message, signature)) {
        fail("authorization", "a client's signature does not hold");
      }
    }
  }
}

/** The signatures in a unit's bodies. */
async function verifyBodies({ unit }: SignedUnit, backend: DualBackend): Promise<void> {
  for (const { kind, body, account, sequence } of unit.members) {
    for (const consent of kind.consents(body, { chain: unit.chain, account, sequence })) {
      const { publicKey, message, signature } = consent;
      if (!await backend.verify(publicKey, message, signature)) {
        fail("authorization", "a signature in a transaction does not hold");
      }
    }
  }
}
