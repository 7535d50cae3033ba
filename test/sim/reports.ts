/**
 * Whom validators accuse: it is the liar, by evidence that holds. Somebody shows it to the ledger, and
 * the liar is out of all later committees.
 */
import { equalBytes, fromHex, toHex } from "#internal/core/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import { signedOf } from "#internal/ledger/mod.ts";
import type { Accusation } from "#internal/proofs/mod.ts";
import { sessionAccused } from "#internal/proofs/mod.ts";
import { offenceFault, signedDigest } from "../../internal/ledger/evidence/offence.ts";
import type { Host } from "./host.ts";
import { keyOf, signatureOf } from "./keys.ts";
import { Violation } from "./violation.ts";
import type { SentUnit, Wish } from "./wallets.ts";

/** Who pays for it. */
const REPORTER = "bob";
/** Long enough to outlast a storm. */
const VALID_PULSES = 60;

/** What reports work with. */
export interface ReportsOptions {
  readonly liar: number | null;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly hosts: () => Iterable<Host>;
  readonly send: (by: string, action: Action, wish: Wish) => SentUnit;
  /** The unit will not execute any more. */
  readonly isLost: (unit: SentUnit) => boolean;
}

/** Accusations of a run. */
export class Reports {
  readonly #options: ReportsOptions;
  #wish: Wish | undefined;
  #sent: SentUnit | undefined;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** From now on what is seen is reported. */
  begin({ at }: { readonly at: readonly number[] }): void {
    this.#wish = { at, validFor: VALID_PULSES };
  }

  /** Shows the first accusation that a validator has; again if nothing can come of it any more. */
  look(): void {
    const { send, isLost } = this.#options;
    if (this.#wish === undefined || (this.#sent !== undefined && !isLost(this.#sent))) return;
    const [accusation] = this.#all();
    if (accusation === undefined) return;
    this.check();
    this.#sent = send(REPORTER, { kind: "evidence", body: accusation }, this.#wish);
  }

  /** Somebody is accused, and no committee was chosen without it yet. */
  get isWaiting(): boolean {
    const { liar, hosts } = this.#options;
    if (this.#wish === undefined || liar === null || this.#all().length === 0) return false;
    return [...hosts()].some(({ validator }) =>
      validator.session().validators.some(({ publicKey }) => equalBytes(publicKey, keyOf(liar)))
    );
  }

  /** @throws {Violation} `slashable` when somebody is accused who did nothing, or by what shows nothing. */
  check(): void {
    for (const accusation of this.#all()) {
      const fault = this.#fault(accusation);
      if (fault !== undefined) throw new Violation("slashable", `an accusation ${fault}`);
    }
  }

  #all(): Accusation[] {
    const known = new Map<string, Accusation>();
    for (const { validator } of this.#options.hosts()) {
      for (const accusation of validator.accusations()) {
        const whose = `${sessionAccused(accusation)}/${toHex(accusation.key)}`;
        if (!known.has(whose)) known.set(whose, accusation);
      }
    }
    return [...known.values()];
  }

  #fault({ key, offence }: Accusation): string | undefined {
    const { liar, chain } = this.#options;
    if (liar === null || !equalBytes(key, keyOf(liar))) return "is of an honest validator";
    const fault = offenceFault(offence);
    if (fault !== undefined) return `shows nothing: ${fault}`;
    const isSigned = signedOf(offence).every(({ header, signature }) =>
      equalBytes(signature, signatureOf(key, signedDigest(fromHex(chain), header)))
    );
    return isSigned ? undefined : "has a signature that does not hold";
  }
}
