/** Stake as commands take it. */
import { FULL_COMMISSION, quoteOddWord } from "#internal/core/mod.ts";
import type { Reader } from "../command.ts";
import { usageError } from "../errors.ts";
import { idOrBeginning } from "../readers.ts";

/** The id of a validator or of a key of its, or the first digits. */
export const validatorId: Reader<string> = idOrBeginning("VALIDATOR");

/** The id of a delegation, or the first digits. */
export const delegationId: Reader<string> = idOrBeginning("DELEGATION");

/** A part of everything in percent, as ten-thousandths. */
export const percent: Reader<number> = {
  placeholder: "PERCENT",
  read(given, what) {
    const match = /^(\d{1,3})(?:\.(\d{1,2}))?%?$/.exec(given);
    const parts = match === null
      ? NaN
      : Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
    if (parts <= FULL_COMMISSION) return parts;
    throw usageError(
      `${what} ${quoteOddWord(given)} is no commission: give percent from 0 to 100, like 2.5`,
    );
  },
};
