/** A commission as people read it. */

/** Ten-thousandths as percent without zeros at the end: `0%`, `2.5%`, `0.05%`. */
export function commissionText(tenThousandths: number | bigint): string {
  const of = BigInt(tenThousandths);
  const cents = `${of % 100n}`.padStart(2, "0").replace(/0+$/, "");
  return `${of / 100n}${cents === "" ? "" : `.${cents}`}%`;
}
