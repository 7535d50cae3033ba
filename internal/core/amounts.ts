/**
 * Money. Inside, an amount is a `bigint` of micro-units (1 USD = 1,000,000); outside it is decimal
 * text. Nothing here ever goes through a double.
 */
import { SionError } from "./errors.ts";

/** Micro-units in one USD. */
export const MICRO_PER_USD = 1_000_000n;
/** The largest amount the ledger's state holds: an unsigned 64-bit integer of micro-units. */
export const MAX_AMOUNT = 0xffff_ffff_ffff_ffffn;

const DECIMALS = 6;
const DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;
const COUNT_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** `amount`: the text is no amount; the message has the form `<value> …: <what to do>`. */
export type AmountErrorCode = "amount";

/**
 * Micro-units of decimal USD, as text or as a JSON number (by its shortest decimal text).
 * Positive amounts only, at most six decimals.
 * @param allowZero also take `0`. @default false
 * @param most the largest that is taken, where that is not the ledger's own bound
 * @throws {SionError} `amount`, with a sentence that names the value, its fault and the remedy.
 */
export function parseUsd(
  input: string | number | bigint,
  options: { readonly allowZero?: boolean; readonly most?: bigint } = {},
): bigint {
  const text = String(input);
  const match = DECIMAL.exec(text);
  if (!match) throw amountError(text, faultOf(text));
  const [, whole = "", fraction = ""] = match;
  if (fraction.length > DECIMALS) {
    const count = COUNT_WORDS[fraction.length] ?? String(fraction.length);
    const example = `${whole}.${roundedUp(fraction)}`;
    throw amountError(text, `has ${count} decimals, USD has six: write it like ${example}`);
  }
  const micro = BigInt(whole + fraction.padEnd(DECIMALS, "0"));
  const { most } = options;
  if (most !== undefined && micro > most) {
    throw amountError(text, `is more than ${formatUsd(most)}: give at most that`);
  }
  if (micro > MAX_AMOUNT) {
    throw amountError(text, "is more than the ledger can hold: give a smaller amount");
  }
  if (micro === 0n && options.allowZero !== true) {
    throw amountError(text, "is nothing: give an amount above 0");
  }
  return micro;
}

/**
 * Millionths of a factor above 0, as text or as a JSON number; at most six decimals.
 * @throws {SionError} `amount`
 */
export function parseFactor(input: string | number): bigint {
  const text = String(input);
  const [match, whole = "", fraction = ""] = DECIMAL.exec(text) ?? [];
  const millionths = BigInt((whole || "0") + fraction.padEnd(DECIMALS, "0"));
  const isFit = match !== undefined && fraction.length <= DECIMALS;
  if (isFit && millionths > 0n && millionths <= MAX_AMOUNT) return millionths;
  throw amountError(text, "is no factor: give one above 0 with at most six decimals, like 1.5");
}

/** Six decimals near those given, only for the example in an error's text. */
function roundedUp(fraction: string): string {
  const six = Number(fraction.slice(0, DECIMALS));
  const up = Number(fraction[DECIMALS]) >= 5 && six < 999_999 ? six + 1 : six;
  return String(Math.max(up, 1)).padStart(DECIMALS, "0");
}

function faultOf(text: string): string {
  if (text.trim() === "") return "is no amount: write USD like 1.5";
  if (text.trim() !== text) return "has space around it: write USD like 1.5";
  if (/^0\d+(\.\d+)?$/.test(text)) {
    return `has a zero before it: write it like ${text.replace(/^0+(?=\d)/, "")}`;
  }
  if (text.startsWith("-")) return "is negative: give an amount above 0";
  if (/^\d+(\.\d+)?e[+-]?\d+$/i.test(text)) return "has an exponent: write it out like 0.25";
  if (/^\d+,\d+$/.test(text)) return "has a comma: write decimals with a point, like 1.5";
  if (/^[\d,]+(\.\d+)?$/.test(text)) return "has commas: write it without, like 1000.5";
  if (/^(NaN|[+]?Infinity)$/i.test(text)) return "is not a number: write USD like 1.5";
  return "is no amount: write USD like 1.5";
}

function amountError(text: string, fault: string): SionError<AmountErrorCode> {
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  const shown = short === "" || /\s/.test(short) ? JSON.stringify(short) : short;
  return new SionError("amount", `${shown} ${fault}`);
}

/** Decimal text without trailing zeros or grouping: 1500000n → `1.5`, 0n → `0`. */
export function formatUsd(micro: bigint): string {
  const sign = micro < 0n ? "-" : "";
  const abs = micro < 0n ? -micro : micro;
  const fraction = (abs % MICRO_PER_USD).toString().padStart(DECIMALS, "0").replace(/0+$/, "");
  const whole = (abs / MICRO_PER_USD).toString();
  return sign + (fraction === "" ? whole : `${whole}.${fraction}`);
}

/** Decimal text of a factor in millionths: 2000000n → `2`. */
export function formatFactor(millionths: bigint): string {
  return formatUsd(millionths);
}

/** As `formatUsd`, with a comma every three digits: 5000000000n → `5,000`; used in sentences. */
export function formatUsdGrouped(micro: bigint): string {
  const [whole = "", fraction] = formatUsd(micro).split(".");
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/** A count with what it counts, for sentences: `1 leaf`, `4,300 leaves`. */
export function formatCount(count: bigint, one: string, several: string = `${one}s`): string {
  return count === 1n ? `1 ${one}` : `${grouped(count.toString())} ${several}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
