/**
 * Shows that a validator signed two things that contradict each other, and has it slashed: a tenth of
 * its own stake and of its pool, once for each session. By anybody.
 */
import { byteString, idBytes, shortId, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES } from "#internal/crypto/mod.ts";
import type { EventFields } from "../event_fields.ts";
import type { Offence, UnitsOffence } from "../evidence/offence.ts";
import { offenceCodec, offenceFault, signedDigest, signedOf } from "../evidence/offence.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { STAKING } from "../objects/staking.ts";
import type { Validator } from "../objects/validator.ts";
import { MAX_SLASHINGS, takesPart, validatorId, validatorKind } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { Slot, Unit } from "../unit.ts";
import type { View } from "../view.ts";
import type { FoundValidator } from "./_staking.ts";
import { needValidator, putValidator } from "./_staking.ts";

const codec = struct({
  /** The dual public key that signed both. */
  key: byteString(DUAL_PUBLIC_KEY_BYTES),
  offence: offenceCodec,
});

/** Body of `evidence`. */
export type EvidenceBody = ValueOf<typeof codec>;

/** What was signed twice, in words. */
const OFFENCES: { readonly [K in Offence["kind"]]: (offence: Offence) => string } = {
  blocks: (offence) => `two blocks of round ${signedOf(offence)[0].header.round} of`,
  votes: () => "two votes on one slot in",
  confirms: () => "two confirmations on one slot in",
  stopped: () => "a confirmation against its stop in",
  pulse_votes: (offence) =>
    `two votes on Pulse ${offence.kind === "pulse_votes" ? offence.body.pulse : ""} in`,
};

function unitOf(view: View, bytes: Uint8Array): Unit {
  return view.unitOf(bytes) ??
    view.fail("invalid transaction", "a unit of the evidence cannot be read");
}

function hasSlot({ members }: Unit, { account, sequence }: Slot): boolean {
  return members.some((member) => member.account === account && member.sequence === sequence);
}

function requireContested(view: View, { firstUnit, second, secondUnit }: UnitsOffence): void {
  const [one, other] = [unitOf(view, firstUnit), unitOf(view, secondUnit)];
  view.require(
    one.members.some((slot) => hasSlot(other, slot)),
    "invalid transaction",
    "the units of the evidence share no slot",
  );
  view.require(
    BigInt(second.header.round) < 4n * one.validUntil - 3n,
    "invalid transaction",
    "the later statement is not below the bound of the earlier unit",
  );
}

/** What of an offence only units show, which need the kinds to be read. */
function requireOffence(view: View, offence: Offence): void {
  if (offence.kind === "votes" || offence.kind === "confirms") {
    return requireContested(view, offence.body);
  }
  if (offence.kind !== "stopped") return;
  view.require(
    hasSlot(unitOf(view, offence.body.unit), offence.body),
    "invalid transaction",
    "the unit of the evidence does not have the slot that was stopped",
  );
}

function requireSlashable(view: View, { id, validator }: FoundValidator, session: number): void {
  const short = shortId(id);
  view.require(
    !validator.slashed.includes(session),
    "invalid transaction",
    `validator ${short} was slashed for session ${session} already`,
  );
  const { stake, pool, slashed } = validator;
  view.require(
    stake + pool.stake > 0n && slashed.length < MAX_SLASHINGS,
    "invalid transaction",
    `nothing of validator ${short} is left to slash`,
  );
}

/** A tenth, rounded up. */
function tenthOf(amount: bigint): bigint {
  return (amount + 9n) / 10n;
}

export const evidence = defineTxKind({
  name: "evidence",
  tag: 107,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ key, offence }: EvidenceBody) =>
    key.length === 0 ? "a key is empty" : offenceFault(offence),
  consents: ({ key, offence }, { chain }) =>
    signedOf(offence).map(({ header, signature }) => ({
      publicKey: key,
      digest: signedDigest(idBytes(chain), header),
      signature,
    })),
  touches: ({ key }) => ({ shared: [validatorId(key), STAKING, USD] }),
  intent: ({ key, offence }, say) =>
    `Have validator ${say.short(validatorId(key))} slashed, by ` +
    `${OFFENCES[offence.kind](offence)} session ${signedOf(offence)[0].header.session}`,
  apply(view: View, { key, offence }) {
    const found = needValidator(view, validatorId(key));
    const { id, validator } = found;
    requireOffence(view, offence);
    const { session } = signedOf(offence)[0].header;
    requireSlashable(view, found, session);
    const { stake, pool } = validator;
    const own = tenthOf(stake);
    const delegated = tenthOf(pool.stake);
    const after: Validator = {
      ...validator,
      stake: stake - own,
      pool: { ...pool, stake: pool.stake - delegated },
      status: takesPart(validator) ? "slashed" : validator.status,
      slashed: [...validator.slashed, session],
    };
    if (takesPart(validator)) putValidator(view, found, after);
    else view.put(validatorKind, id, after);
    if (validator.status === "active") view.endSession();
    view.forfeit(USD, own + delegated);
    view.emit("ValidatorSlashed", {
      by: view.actor,
      offence: offence.kind,
      own,
      pool: delegated,
      session: BigInt(session),
      validator: id,
    });
  },
  tells: { ValidatorSlashed: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "ValidatorSlashed"), say),
});

/** @param fields of `ValidatorSlashed`. */
function told(fields: EventFields, say: Say): string {
  return `validator ${say.short(fields.id("validator"))} slashed by ` +
    `${say.amount(fields.amount("own"))} of its own stake and ` +
    `${say.amount(fields.amount("pool"))} of its pool`;
}
