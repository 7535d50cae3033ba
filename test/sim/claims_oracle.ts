/** Bonds and claims of a run, from Pulse to Pulse: what must hold of them whatever was executed. */
import type { LedgerState } from "#internal/ledger/mod.ts";
import { claimId, claimKind } from "#internal/ledger/mod.ts";
import type { Bond } from "../../internal/ledger/objects/bond.ts";
import { bondKind, freeOf } from "../../internal/ledger/objects/bond.ts";
import type { Claim } from "../../internal/ledger/objects/claim.ts";
import { Violation } from "./violation.ts";

/** Holds the state of each Pulse against that of the one before. */
export class ClaimsOracle {
  readonly #bonds = new Map<string, Bond>();
  readonly #claims = new Map<string, Claim>();
  /** Claims found false. */
  refuted = 0;

  pulse(number: bigint, state: LedgerState): void {
    for (const [id, { kind, value }] of state.entries()) {
      if (kind === bondKind.name) this.#bond(id, value as Bond, number);
      if (kind === claimKind.name) this.#claim(id, value as Claim, number);
    }
  }

  /** What is reserved or on its way out is there, and what was slashed stays so. */
  #bond(id: string, bond: Bond, pulse: bigint): void {
    const free = freeOf(bond, pulse);
    if (free < 0n) throw wrong(id, pulse, `holds ${-free} less than it owes`);
    const before = this.#bonds.get(id);
    if (before && bond.slashed < before.slashed) throw wrong(id, pulse, "is slashed less");
    const lost = bond.slashed - (before?.slashed ?? 0n);
    if (before && lost > 0n && bond.release !== null) {
      throw wrong(id, pulse, "is slashed and still releases money");
    }
    this.#bonds.set(id, bond);
  }

  /** What a claim says is what its id names; what was revoked or refuted stays so. */
  #claim(id: string, claim: Claim, pulse: bigint): void {
    if (claimId(claim) !== id) throw wrong(id, pulse, "says another thing than it did");
    const before = this.#claims.get(id);
    if (before?.refuted && !claim.refuted) throw wrong(id, pulse, "is no longer refuted");
    if (before && before.revoked !== null && claim.revoked !== before.revoked) {
      throw wrong(id, pulse, "is no longer revoked");
    }
    if (claim.refuted && claim.disputed) throw wrong(id, pulse, "is refuted and still disputed");
    if (claim.refuted && !before?.refuted) this.refuted++;
    this.#claims.set(id, claim);
  }
}

function wrong(id: string, pulse: bigint, what: string): Violation {
  return new Violation("claims", `${id.slice(0, 8)} ${what} in Pulse ${pulse}`);
}
