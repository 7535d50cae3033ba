/** What `sion doctor` and `sion agent doctor` do with their checks. */
import { messageOf } from "#internal/core/mod.ts";
import { displayPath, systemClock, systemRandom, terminalFacts } from "#internal/runtime/mod.ts";
import { toggle, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import type { Check, DoctorMachine, Repair } from "../doctor/_check.ts";
import type { Checked } from "../doctor/run_checks.ts";
import { EXIT } from "../errors.ts";
import { integer } from "../readers.ts";

/** Where a check takes longer, it waits for what never comes. */
const MOST_SECONDS = 600;

/** Repairs that show further repairs, at most. */
const MOST_ROUNDS = 3;

/** The options of both. */
export const doctorFlags = {
  all: toggle("what is fine too"),
  offline: toggle("ask nothing over the network"),
  within: value(integer(1, MOST_SECONDS), "seconds that a check may take", { default: "4.5" }),
  fix: toggle("list what it can mend by itself, then do that; never keys, sudo or downloads"),
};

interface DoctorOptions {
  readonly all: boolean;
  readonly offline: boolean;
  readonly fix: boolean;
  readonly within?: number | undefined;
}

/** What `--json` prints. */
export const DOCTOR_JSON =
  "{checks: [{name, standing, says, fix, repairs}], failed, fine, look}; " +
  "with --fix also fixed: [{does, error}]";

const SIGNS = { failed: "✗", look: "!", fine: "✓" } as const;
const ORDER = ["failed", "look", "fine"] as const;

/** Runs the checks and shows them; with `fix`, mends and runs them again. @returns the exit code */
export async function runDoctor(
  context: CommandContext,
  { all, offline, fix, within }: DoctorOptions,
  wanted: (check: Check) => boolean,
): Promise<number> {
  const { checks, runChecks } = await import("../doctor/mod.ts");
  const { output, json } = context;
  const machine = machineOf(context, offline);
  const chosen = checks.filter((one) => wanted(one) && !(offline && one.asks === true));
  output.waiting(`${chosen.length} checks`);
  const limitMs = within === undefined ? undefined : within * 1_000;
  let found = await runChecks(chosen, machine, limitMs);
  output.waiting(undefined);
  const fixed: Fixed[] = [];
  for (let round = 0; fix && round < MOST_ROUNDS; round++) {
    // One repair may show what the next is for; one that did not help is not made again.
    const repairs = found.flatMap((one) => one.repairs ?? [])
      .filter(({ does }) => fixed.every((one) => one.does !== does));
    if (repairs.length === 0) break;
    fixed.push(...await mend(context, repairs));
    found = await runChecks(chosen, machine, limitMs);
  }
  if (json) output.json(valueOf(found, fix ? fixed : undefined));
  else show(context, found, { all, fix });
  return found.some(({ standing }) => standing === "failed") ? EXIT.no : EXIT.done;
}

function machineOf(context: CommandContext, offline: boolean): DoctorMachine {
  const { program, env, home, clientOptions, signal } = context;
  return {
    program,
    env,
    home,
    clientOptions,
    clock: systemClock,
    random: systemRandom,
    terminal: terminalFacts("stdout", env),
    offline,
    signal,
    shown: (path) => displayPath(path, env),
  };
}

interface Fixed {
  readonly does: string;
  /** Why it could not be done. */
  readonly error?: string;
}

/** Says all that will be done now, before the first of it. */
async function mend(
  { output, json }: CommandContext,
  repairs: readonly Repair[],
): Promise<readonly Fixed[]> {
  if (!json) {
    output.line(`this will be done:`);
    for (const { does } of repairs) output.line(`  ${does}`);
  }
  const fixed: Fixed[] = [];
  for (const { does, run } of repairs) {
    try {
      await run();
      fixed.push({ does });
    } catch (error) {
      fixed.push({ does, error: messageOf(error) });
    }
    const [done] = fixed.slice(-1);
    if (!json) {
      output.line(
        done?.error === undefined ? `done: ${does}` : `not done: ${does} (${done.error})`,
      );
    }
  }
  return fixed;
}

function show(
  { output }: CommandContext,
  found: readonly Checked[],
  { all, fix }: { readonly all: boolean; readonly fix: boolean },
): void {
  for (const standing of all ? ORDER : ORDER.slice(0, 2)) {
    for (const one of found.filter((each) => each.standing === standing)) {
      const what = one.fix === undefined ? "" : `. Fix: ${one.fix}`;
      output.line(`${SIGNS[standing]} ${one.name}: ${one.says}${what}`);
    }
  }
  const [failed = 0, look = 0, fine = 0] = ORDER.map((standing) =>
    found.filter((one) => one.standing === standing).length
  );
  const parts = [`${fine} fine`];
  if (look > 0) parts.push(`${look} to look at`);
  if (failed > 0) parts.push(`${failed} failed`);
  output.line(`${found.length} checks: ${parts.join(", ")}`);
  const repairs = found.flatMap((one) => one.repairs ?? []).length;
  if (!fix && repairs > 0) output.hint(["--fix lists what it would mend, and does it"]);
}

function valueOf(found: readonly Checked[], fixed: readonly Fixed[] | undefined): unknown {
  const of = (standing: Checked["standing"]): number =>
    found.filter((one) => one.standing === standing).length;
  return {
    checks: found.map(({ name, standing, says, fix, repairs = [] }) => ({
      ...(fix === undefined ? {} : { fix }),
      name,
      ...(repairs.length === 0 ? {} : { repairs: repairs.map(({ does }) => does) }),
      says,
      standing,
    })),
    failed: of("failed"),
    fine: of("fine"),
    ...(fixed === undefined ? {} : { fixed }),
    look: of("look"),
  };
}
