/** How values on the command line are read. A bad one is an error that names it. */
import {
  closest,
  isHex64,
  isLedgerName,
  MAX_NAME_LENGTH,
  parseUsd,
  quoteOddWord,
} from "#internal/core/mod.ts";
import type { Reader } from "./command.ts";
import { usageError } from "./errors.ts";

/** Milliseconds of the units of time. */
const UNIT_MS: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/**
 * Commands take a Pulse for a second: so it is while there is work, nearly. An idle chain makes one
 * in up to 16 seconds (four rounds of up to four), so what is given as a time may last longer.
 */
const PULSE_MS = 1_000;

/** Pulses of the longest span, some thirty years: what any part of the ledger holds at most. */
const MAX_SPAN_PULSES = 1_000_000_000;

/** Any text. */
export function text(placeholder: string): Reader<string> {
  return { placeholder, read: (given) => given };
}

/** The name of a wallet on this machine, or of a devnet's. */
export const walletName: Reader<string> = {
  placeholder: "NAME",
  read: (given) => given,
  offers: "wallets",
};

/** The name of a profile. */
export const profileName: Reader<string> = {
  placeholder: "PROFILE",
  read: (given) => given,
  offers: "profiles",
};

/** The name of a profile, or of a wallet. */
export const profileOrWallet: Reader<string> = {
  placeholder: "NAME",
  read: (given) => given,
  offers: "profiles-wallets",
};

/** A wallet name, or an account of 64 hex digits. */
export const account: Reader<string> = {
  placeholder: "ACCOUNT",
  read: (given) => given,
  offers: "wallets",
};

/** An id of 64 hex digits, or a unique beginning of it. */
export function idOrBeginning(placeholder: string): Reader<string> {
  return {
    placeholder,
    read(given, what) {
      if (/^[0-9a-f]{1,64}$/.test(given)) return given;
      throw usageError(
        `${what} ${quoteOddWord(given)} is no id: give its 64 hex digits, or the first few`,
      );
    },
  };
}

/** The id of an object of the ledger. */
export const objectId: Reader<string> = idOrBeginning("ID");

/** As `objectId`, or the name of an agent that is the only one of that name. */
export const agentId: Reader<string> = { placeholder: "AGENT", read: (given) => given };

/** A transaction's digest. */
export const digest: Reader<string> = {
  placeholder: "DIGEST",
  read(given, what) {
    if (!isHex64(given)) {
      throw usageError(
        `${what} ${quoteOddWord(given)} is no transaction digest: give its 64 hex digits`,
      );
    }
    return given;
  },
};

/** Decimal USD above 0, in micro-units. */
export const usd: Reader<bigint> = { placeholder: "USD", read: (given) => parseUsd(given) };

/** A name, with `=` and USD behind it if there is a budget: `fetch=4`. */
export const budgetedName: Reader<{ readonly name: string; readonly budget?: bigint }> = {
  placeholder: "NAME[=USD]",
  read(given, what) {
    const at = given.indexOf("=");
    const name = at === -1 ? given : given.slice(0, at);
    if (name.length > MAX_NAME_LENGTH) {
      throw usageError(
        `${what} ${quoteOddWord(given)} has a name of ${name.length} characters: give at most ` +
          `${MAX_NAME_LENGTH}`,
      );
    }
    if (!isLedgerName(name)) {
      throw usageError(
        `${what} ${quoteOddWord(given)} has no name that an agent can have: give letters, ` +
          "digits, - and _, then = and a budget",
      );
    }
    return at === -1 ? { name } : { name, budget: parseUsd(given.slice(at + 1)) };
  },
};

/** Decimal USD, 0 too. */
export const usdOrNone: Reader<bigint> = {
  placeholder: "USD",
  read: (given) => parseUsd(given, { allowZero: true }),
};

/** A file's path. */
export const path: Reader<string> = {
  placeholder: "FILE",
  read: (given) => given,
  offers: "files",
};

/** A folder's path. */
export const folder: Reader<string> = {
  placeholder: "DIR",
  read: (given) => given,
  offers: "files",
};

/** An integer of a range. */
export function integer(least: number, most: number, placeholder = "N"): Reader<number> {
  return {
    placeholder,
    read(given, what) {
      const number = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
      if (number >= least && number <= most) return number;
      const range = most === Number.MAX_SAFE_INTEGER
        ? `a number of at least ${least}`
        : `a number from ${least} to ${most}`;
      throw usageError(`${what} ${quoteOddWord(given)} is not ${range}: give one`);
    },
  };
}

/** A multiple of `step`, from it to `most`. */
export function multipleOf(step: number, most: number, placeholder = "N"): Reader<number> {
  return {
    placeholder,
    read(given, what) {
      const number = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
      if (number >= step && number <= most && number % step === 0) return number;
      throw usageError(
        `${what} ${
          quoteOddWord(given)
        } is not a multiple of ${step} from ${step} to ${most}: give one`,
      );
    },
  };
}

/** What an MCP server is called in an AI client. */
export const serverName: Reader<string> = {
  placeholder: "NAME",
  read(given, what) {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(given)) return given;
    throw usageError(
      `${what} ${quoteOddWord(given)} is no name for a server: use at most 64 letters, ` +
        "digits, - and _",
    );
  },
};

/** Seconds since the Unix epoch, before it too. */
export const unixSeconds: Reader<number> = {
  placeholder: "SECONDS",
  read(given, what) {
    if (/^-?\d{1,15}$/.test(given)) return Number(given);
    throw usageError(
      `${what} ${quoteOddWord(given)} is no time: give whole seconds since the Unix epoch`,
    );
  },
};

/** Three whole numbers: x, y and z in millimetres. */
export const point: Reader<readonly number[]> = {
  placeholder: "X,Y,Z",
  read(given, what) {
    if (/^-?\d{1,15},-?\d{1,15},-?\d{1,15}$/.test(given)) return given.split(",").map(Number);
    throw usageError(
      `${what} ${
        quoteOddWord(given)
      } is no point: write x,y,z in millimetres, like 41000,11000,500`,
    );
  },
};

/** The Pulses of an epoch. */
export const epochLength: Reader<number> = integer(4, 1_000_000_000, "N");

/** The one word of several that goes on from a text, or that the text goes on from. */
function onlyLonger(text: string, words: readonly string[]): string | undefined {
  const found = words.filter((word) =>
    word.length >= 3 && text.length >= 3 && (word.startsWith(text) || text.startsWith(word))
  );
  return found.length === 1 ? found[0] : undefined;
}

/** One of a few words. */
export function oneOf<const W extends readonly string[]>(...words: W): Reader<W[number]> {
  return {
    placeholder: words.join("|"),
    offers: words,
    read(given, what) {
      const found = words.find((word) => word === given);
      if (found !== undefined) return found;
      const meant = closest(given, words) ?? onlyLonger(given, words);
      throw usageError(
        `${what} ${quoteOddWord(given)} is none of ${words.join(", ")}: ` +
          (meant === undefined ? "give one of them" : `did you mean ${meant}`),
      );
    },
  };
}

/** A span of Pulses, and the time it was given as, if it was. */
export interface Span {
  readonly pulses: number;
  readonly time: string | undefined;
}

/** A number of Pulses, or a time like `10m` or `30d`. */
export const span: Reader<Span> = {
  placeholder: "PULSES",
  read(given, what) {
    const match = /^(\d+)([smhd]?)$/.exec(given);
    const amount = Number(match?.[1] ?? 0);
    if (match === null || amount === 0) {
      throw usageError(
        `${what} ${quoteOddWord(given)} is no time: give Pulses like 600, or 10m, 12h, 30d`,
      );
    }
    const unit = match[2] ?? "";
    const pulses = unit === "" ? amount : Math.ceil(amount * (UNIT_MS[unit] as number) / PULSE_MS);
    if (pulses > MAX_SPAN_PULSES) {
      throw usageError(
        `${what} ${
          quoteOddWord(given)
        } is more than ${MAX_SPAN_PULSES} Pulses: give a shorter time`,
      );
    }
    return { pulses, time: unit === "" ? undefined : given };
  },
};

/** What to say of a span that was given as a time; nothing of one in Pulses. */
export function spanNote(what: string, { pulses, time }: Span): readonly string[] {
  return time === undefined ? [] : [
    `${what} ${time} is ${pulses} Pulses: about one a second, slower while the chain idles`,
  ];
}

/** What comes back in which time, like `10/day` or `0.5/12h`. */
export const refill: Reader<{ readonly amount: bigint; readonly periodMs: bigint }> = {
  placeholder: "USD/TIME",
  read(given, what) {
    const [amount, time = "", ...rest] = given.split("/");
    const match = /^(?:(\d{1,6})([smhd])|(second|minute|hour|day|week))$/.exec(time);
    const count = Number(match?.[1] ?? 1);
    if (amount === undefined || match === null || rest.length > 0 || count === 0) {
      throw usageError(
        `${what} ${quoteOddWord(given)} is no refill: write it like 10/day or 0.5/12h`,
      );
    }
    const unit = UNIT_MS[match[2] ?? match[3] ?? "day"] as number;
    return { amount: parseUsd(amount), periodMs: BigInt(count * unit) };
  },
};
