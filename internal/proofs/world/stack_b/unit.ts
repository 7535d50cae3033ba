/** Signed units: decoding, digests, fees. docs/protocol/ledger.md, Units and transactions; Fees. */
import type { Codec } from "#internal/core/mod.ts";
import {
  byteString,
  decode,
  encode,
  id,
  idBytes,
  list,
  messageOf,
  SionError,
  struct,
  toHex,
  u16,
  u64,
  u8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { fail } from "./error.ts";
import type { Kind } from "./kind.ts";
import { kindOfTag } from "./kinds/mod.ts";
import type { Policy } from "./policy.ts";
import { policyCodec } from "./policy.ts";

/** Micro-USD of every member, beside its share of the signatures. */
const MEMBER_FEE = 300n;
/** Micro-USD of one dual signature. */
const SIGNATURE_FEE = 800n;

/** A transaction as it stands in its unit. */
export interface Member {
  readonly account: string;
  readonly sequence: bigint;
  readonly kind: Kind;
  readonly body: unknown;
}

export interface Unit {
  readonly chain: string;
  readonly validUntil: bigint;
  readonly maxFee: bigint;
  readonly members: readonly Member[];
}

export interface SignedUnit {
  readonly unit: Unit;
  readonly policy: Policy;
  readonly salts: readonly Uint8Array[];
  readonly signatures: readonly { readonly key: number; readonly signature: Uint8Array }[];
  /** The unit's digest, 64 hex digits. */
  readonly digest: string;
}

function refuse(what: string): never {
  throw new SionError("codec", `Cannot decode: ${what}`);
}

const memberCodec: Codec<Member> = {
  write(to, member) {
    id.write(to, member.account);
    u64.write(to, member.sequence);
    to.uleb(member.kind.tag);
    member.kind.codec.write(to, member.body);
  },
  read(from) {
    const account = id.read(from);
    const sequence = u64.read(from);
    const tag = from.uleb();
    const kind = kindOfTag(tag) ?? refuse(`${tag} is no kind of transaction`);
    const body = kind.codec.read(from);
    return { account, sequence, kind, body };
  },
};

const unitCodec: Codec<Unit> = struct({
  chain: id,
  validUntil: u64,
  maxFee: u64,
  members: list(memberCodec, 128),
});

export const signedUnitCodec = struct({
  unit: unitCodec,
  policy: policyCodec,
  salts: list(byteString(32), 128),
  signatures: list(struct({ key: u8, signature: byteString(19_508) }), 255),
});

/** A unit from its canonical bytes. @throws {SionError} `unit` when they are none. */
export function decodeUnit(bytes: Uint8Array): SignedUnit {
  try {
    const signed = decode(signedUnitCodec, bytes);
    checkForm(signed);
    return { ...signed, digest: toHex(taggedHash("sion/unit/v1", encode(unitCodec, signed.unit))) };
  } catch (error) {
    return fail("unit", `bytes in the order are no unit (${messageOf(error)})`);
  }
}

/** A unit from the bytes that its digest is of, or null when they are none. */
export function decodeBareUnit(bytes: Uint8Array): Unit | null {
  try {
    const unit = decode(unitCodec, bytes);
    checkMembers(unit);
    return unit;
  } catch (error) {
    if (error instanceof SionError) return null;
    throw error;
  }
}

/** What makes members those of a unit, beyond their encoding. */
function checkMembers(unit: Unit): void {
  if (unit.members.length === 0) refuse("a unit has no members");
  const next = new Map<string, bigint>();
  for (const member of unit.members) {
    const expected = next.get(member.account) ?? member.sequence;
    if (member.sequence !== expected) refuse("the slots of an account do not follow each other");
    next.set(member.account, member.sequence + 1n);
    const fault = member.kind.fault(member.body);
    if (fault !== null) refuse(fault);
  }
}

/** What makes bytes a signed unit, beyond their encoding. */
function checkForm(signed: Omit<SignedUnit, "digest">): void {
  const { unit, policy, salts, signatures } = signed;
  checkMembers(unit);
  if (salts.length !== unit.members.length) refuse("there is not one salt a member");
  if (signatures.length !== policy.threshold) refuse("there are not as many signatures as needed");
  for (const [i, { key }] of signatures.entries()) {
    if (key >= policy.keys.length) refuse("a signature is by no key of the policy");
    const before = signatures[i - 1];
    if (before && before.key >= key) refuse("signatures are not in the order of their keys");
  }
}

/** The digest of a unit's member. */
export function memberDigest(unitDigest: string, index: number): string {
  return toHex(taggedHash("sion/member/v1", idBytes(unitDigest), encode(u16, index)));
}

/** What a member pays in any case, micro-USD: 300 + ⌈800·k/n⌉. */
export function floorFee(signed: SignedUnit): bigint {
  const members = BigInt(signed.unit.members.length);
  const signatures = BigInt(signed.policy.threshold) * SIGNATURE_FEE;
  return MEMBER_FEE + (signatures + members - 1n) / members;
}

/** What a member pays if it succeeds, micro-USD. */
export function wholeFee(signed: SignedUnit, member: Member): bigint {
  return floorFee(signed) + member.kind.beyond(member.body, signed.unit.members.length === 1);
}
