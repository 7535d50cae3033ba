/** How a transaction fails, and how its reason is worded. docs/protocol/ledger.md, Execute. */

/** The failure of a transaction: a result of execution, which the executor turns into a receipt. */
export class Failure extends Error {}

/** @throws {Failure} `invalid transaction: …`. */
export function invalid(why: string): never {
  throw new Failure(`invalid transaction: ${why}`);
}

/** @throws {Failure} `unauthorized: …`. */
export function unauthorized(why: string): never {
  throw new Failure(`unauthorized: ${why}`);
}

/** @throws {Failure} `charter caveat violated: …`. */
export function violated(why: string): never {
  throw new Failure(`charter caveat violated: ${why}`);
}

/** The first eight digits of an id, as reasons show it. */
export function short(id: string): string {
  return id.slice(0, 8);
}

/** Micro-units as decimal USD with a comma every three digits, as reasons show them. */
export function usd(micro: bigint): string {
  const whole = (micro / 1_000_000n).toString();
  const part = (micro % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  let grouped = "";
  for (let end = whole.length; end > 0; end -= 3) {
    const three = whole.slice(Math.max(0, end - 3), end);
    grouped = grouped === "" ? three : `${three},${grouped}`;
  }
  return part === "" ? grouped : `${grouped}.${part}`;
}
