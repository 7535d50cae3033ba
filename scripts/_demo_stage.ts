/** What the demo's steps share: where they play, what they found out, and how they tell it. */
import { type Place, type Ran, sion } from "./_sion.ts";

/** State of one run of the demo. */
export type Stage = {
  /** Where commands keep their state; gains the node once the devnet runs. */
  place: Place;
  /** Temporary folder of everything. */
  readonly folder: string;
  /** Ids and addresses by name, from one step to the next. */
  readonly facts: Map<string, string>;
  /** What to undo at the end, in order of making. */
  readonly cleanup: (() => void | Promise<void>)[];
};

/** What a command says to a stream that is no terminal while it waits: not part of the story. */
const PROGRESS = /^waiting for .*\n/gm;

/** One step of the story. It throws with the reason when something is not as it should be. */
export type Step = { readonly title: string; readonly run: (stage: Stage) => Promise<void> };

/** @throws {Error} `problem` when the condition does not hold. */
export function expect(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}

/** A fact that an earlier step noted. */
export function fact(stage: Stage, name: string): string {
  const value = stage.facts.get(name);
  if (value === undefined) throw new Error(`no step noted the ${name}`);
  return value;
}

/** Prints text as part of the story, indented. */
export function tell(text: string): void {
  const lines = text.trimEnd().split("\n");
  console.log(lines.map((line) => `   ${line}`.trimEnd()).join("\n"));
}

/** Prints a command as a person types it: temporary paths by their last part. */
function tellCommand(stage: Stage, args: readonly string[]): void {
  const words = args.map((arg) => {
    const shown = arg.replaceAll(`${stage.folder}/`, "");
    return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown}'`;
  });
  tell(`$ sion ${words.join(" ")}`);
}

/**
 * Shows and runs a command of `sion` and shows what it printed.
 * @throws {Error} when its exit code is another than the expected one (0 unless given).
 */
export async function show(stage: Stage, args: readonly string[], code = 0): Promise<Ran> {
  tellCommand(stage, args);
  const ran = await sion(stage.place, ...args);
  tell(ran.stdout + ran.stderr.replaceAll(PROGRESS, ""));
  expect(ran.code === code, `sion ${args[0]} ended with code ${ran.code}, not ${code}`);
  return ran;
}

/** Runs a command with `--json`, unshown, and returns its value. */
export async function ask(stage: Stage, ...args: readonly string[]): Promise<unknown> {
  const ran = await sion(stage.place, ...args, "--json");
  expect(ran.code === 0, `sion ${args.join(" ")} failed: ${ran.stderr.trim()}`);
  return JSON.parse(ran.stdout);
}

/** USD that an account holds, in micro-units so that sums are exact; 0 for one never seen. */
export async function microUsd(stage: Stage, account: string): Promise<bigint> {
  const { balances } = await ask(stage, "balance", account) as {
    readonly balances: readonly { readonly amount: string; readonly asset: string }[];
  };
  const [whole = "0", fraction = ""] = (balances[0]?.amount ?? "0").split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
}
