/** A validator that can be replaced by one made anew, unnoticed by whoever holds it. */
import type { Validator } from "#internal/consensus/mod.ts";

/** A validator whose inside changes when it goes on from a snapshot. */
export interface ReplaceableValidator extends Validator {
  /** From now on it is this one. @throws {TypeError} when that is of another chain. */
  replace(next: Validator): void;
}

/** Holds a validator. */
export function replaceable(first: Validator): ReplaceableValidator {
  let inside = first;
  return {
    get self() {
      return inside.self;
    },
    chain: first.chain,
    replace(next) {
      if (next.chain !== first.chain) throw new TypeError("Cannot replace: it is another chain's");
      inside = next;
    },
    step: (input) => inside.step(input),
    wants: (block) => inside.wants(block),
    needsUnit: (form) => inside.needsUnit(form),
    endClaim: (certificate) => inside.endClaim(certificate),
    status: () => inside.status(),
    state: () => inside.state(),
    header: () => inside.header(),
    session: () => inside.session(),
    committeeOf: (session) => inside.committeeOf(session),
    nextSequence: (account) => inside.nextSequence(account),
    reserved: (account) => inside.reserved(account),
    standing: (unit) => inside.standing(unit),
    laneCertificate: (unit) => inside.laneCertificate(unit),
    accusations: () => inside.accusations(),
  };
}
