/** The one encoding of units and signed units, and the digests over it. */
import type { Codec, Digest, ObjectId } from "#internal/core/mod.ts";
import {
  byteString,
  decode,
  encode,
  id,
  idBytes,
  list,
  MAX_SIGNED_UNIT_BYTES,
  Reader,
  struct,
  toHex,
  u16,
  u64,
  u8,
} from "#internal/core/mod.ts";
import { DUAL_SIGNATURE_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { undecodable } from "./errors.ts";
import type { AnyTxKind } from "./kind.ts";
import { policyCodec, saltCodec } from "./policy.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";
import type { Authorization, Member, SignedUnit, Unit } from "./unit.ts";
import { MAX_MEMBERS } from "./unit.ts";

const UNIT_TAG = "sion/unit/v1";
const FORM_TAG = "sion/form/v1";
const MEMBER_TAG = "sion/member/v1";
const OBJECT_TAG = "sion/object/v1";
const VOID_TAG = "sion/void/v1";

/** A member: account, slot, the kind's tag, the kind's body. */
function memberCodec(kinds: Registry<AnyTxKind>): Codec<Member> {
  return {
    write(to, member) {
      const kind = kindNamed(kinds, member.kind);
      id.write(to, member.account);
      u64.write(to, member.sequence);
      to.uleb(kind.tag);
      kind.body.write(to, member.body);
    },
    read(from) {
      const account = id.read(from);
      const sequence = from.u64();
      const tag = from.uleb();
      const kind = kinds.byTag.get(tag) ?? undecodable(`a transaction: ${tag} is no known kind`);
      return { account, sequence, kind: kind.name, body: kind.body.read(from) };
    },
  };
}

const signaturesCodec = list(
  struct({ key: u8, signature: byteString(DUAL_SIGNATURE_BYTES) }),
  255,
);

const authorizationCodec: Codec<Authorization> = struct({
  policy: policyCodec,
  salts: list(saltCodec, MAX_MEMBERS),
  signatures: signaturesCodec,
});

/**
 * The fault of a unit that no chain and no state could accept, else undefined: no members or too
 * many, slots of an account that do not follow each other, a body out of shape.
 */
export function unitFault(kinds: Registry<AnyTxKind>, { members }: Unit): string | undefined {
  if (members.length === 0) return "it has no members";
  if (members.length > MAX_MEMBERS) return `it has more than ${MAX_MEMBERS} members`;
  const next = new Map<string, bigint>();
  for (const { account, sequence, kind, body } of members) {
    const expected = next.get(account);
    if (expected !== undefined && sequence !== expected) {
      return "slots of one account do not follow each other";
    }
    next.set(account, sequence + 1n);
    const known = kinds.byName.get(kind);
    if (known === undefined) return `${kind} is no known kind`;
    const fault = known.check?.(body);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The fault of an authorization that cannot be one for so many members, else undefined. */
export function authorizationFault(
  { policy, salts, signatures }: Authorization,
  members: number,
): string | undefined {
  if (salts.length !== members) return "there is not one salt a member";
  if (signatures.length !== policy.threshold) {
    return "there are not as many signatures as the policy asks for";
  }
  for (let i = 0; i < signatures.length; i++) {
    const key = signatures[i]?.key ?? 0;
    if (key >= policy.keys.length) return "a signature names no key of the policy";
    if (i > 0 && key <= (signatures[i - 1]?.key ?? 0)) return "signatures are not in order of keys";
  }
  return undefined;
}

interface Known {
  readonly bytes: Uint8Array;
  readonly digest: string;
  members?: readonly Digest[];
}

/** Encodings and digests of units, each made once for a unit and shared: never to be changed. */
export interface UnitCoding {
  encodeUnit(unit: Unit): Uint8Array;
  /** @throws {SionError} `codec` unless `bytes` are the one encoding of a well-formed unit. */
  decodeUnit(bytes: Uint8Array): Unit;
  unitDigest(unit: Unit): string;
  memberDigests(unit: Unit): readonly Digest[];
  encodeSigned(signed: SignedUnit): Uint8Array;
  decodeSigned(bytes: Uint8Array): SignedUnit;
  formOf(signed: SignedUnit): string;
}

/** The encodings under a registry of kinds. */
export function unitCoding(kinds: Registry<AnyTxKind>): UnitCoding {
  const unitCodec: Codec<Unit> = struct({
    chain: id,
    validUntil: u64,
    maxFee: u64,
    members: list(memberCodec(kinds), MAX_MEMBERS),
  });
  const known = new WeakMap<Unit, Known>();
  const signedBytes = new WeakMap<SignedUnit, Uint8Array>();
  const forms = new WeakMap<SignedUnit, string>();
  const remember = (unit: Unit, bytes: Uint8Array): Known => {
    const entry = { bytes, digest: unitBytesDigest(bytes) };
    known.set(unit, entry);
    return entry;
  };
  const know = (unit: Unit): Known => {
    const entry = known.get(unit);
    if (entry !== undefined) return entry;
    const fault = unitFault(kinds, unit);
    if (fault !== undefined) throw new TypeError(`Cannot encode unit: ${fault}`);
    return remember(unit, encode(unitCodec, unit));
  };
  const coding: UnitCoding = {
    encodeUnit: (unit) => know(unit).bytes.slice(),
    decodeUnit(bytes) {
      const unit = decode(unitCodec, bytes);
      const fault = unitFault(kinds, unit);
      if (fault !== undefined) undecodable(`a unit: ${fault}`);
      return unit;
    },
    unitDigest: (unit) => know(unit).digest,
    memberDigests(unit) {
      const entry = know(unit);
      return entry.members ??= unit.members.map((_, i) => memberDigest(entry.digest, i));
    },
    encodeSigned(signed) {
      const made = signedBytes.get(signed);
      if (made !== undefined) return made;
      const { unit, authorization } = signed;
      const fault = authorizationFault(authorization, unit.members.length);
      if (fault !== undefined) throw new TypeError(`Cannot encode signed unit: ${fault}`);
      const { bytes } = know(unit);
      const tail = encode(authorizationCodec, authorization);
      if (bytes.length + tail.length > MAX_SIGNED_UNIT_BYTES) {
        throw new TypeError(`Cannot encode signed unit: over ${MAX_SIGNED_UNIT_BYTES} bytes`);
      }
      const out = new Uint8Array(bytes.length + tail.length);
      out.set(bytes);
      out.set(tail, bytes.length);
      signedBytes.set(signed, out);
      return out;
    },
    decodeSigned(bytes) {
      if (bytes.length > MAX_SIGNED_UNIT_BYTES) {
        undecodable(`a signed unit: over ${MAX_SIGNED_UNIT_BYTES} bytes`);
      }
      const reader = new Reader(bytes);
      const unit = unitCodec.read(reader);
      const end = reader.position;
      const authorization = decode(authorizationCodec, bytes.subarray(end));
      const fault = unitFault(kinds, unit) ??
        authorizationFault(authorization, unit.members.length);
      if (fault !== undefined) undecodable(`a signed unit: ${fault}`);
      remember(unit, bytes.slice(0, end));
      const signed = { unit, authorization };
      signedBytes.set(signed, bytes);
      return signed;
    },
    formOf(signed) {
      const known = forms.get(signed);
      if (known !== undefined) return known;
      const form = toHex(taggedHash(FORM_TAG, coding.encodeSigned(signed)));
      forms.set(signed, form);
      return form;
    },
  };
  return coding;
}

/** The digest of a unit's encoding. */
export function unitBytesDigest(bytes: Uint8Array): string {
  return toHex(taggedHash(UNIT_TAG, bytes));
}

/** The digest of a member's transaction. */
export function memberDigest(unitDigest: string, index: number): Digest {
  return toHex(taggedHash(MEMBER_TAG, idBytes(unitDigest), encode(u16, index)));
}

/** The id of the object that a transaction makes as its `index`-th. */
export function objectId(digest: Digest, index: number): ObjectId {
  return toHex(taggedHash(OBJECT_TAG, idBytes(digest), encode(u16, index)));
}

/** What stands for a digest in the receipt of a slot that was settled without a transaction. */
export function voidDigest(account: string, sequence: bigint): Digest {
  return toHex(taggedHash(VOID_TAG, idBytes(account), encode(u64, sequence)));
}
