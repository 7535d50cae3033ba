/** Numbers that options of the project's own scripts take. */

/** The value of an option, or `otherwise` without one. @throws {RangeError} for no whole number. */
export function wholeNumber(name: string, value: string | undefined, otherwise: number): number {
  const number = value === undefined ? otherwise : Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new RangeError(`--${name} takes a whole number, not ${value}`);
}
