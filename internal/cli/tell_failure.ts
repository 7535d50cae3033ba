/** How a command ends that failed. Read when one does. */
import type { Redactor } from "#internal/core/mod.ts";
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import { environmentFault } from "./environment_fault.ts";
import { causesOf, shownError } from "./error_codes.ts";
import { EXIT } from "./errors.ts";
import { keepFailure } from "./failure_log.ts";
import type { Output } from "./output.ts";

/** Says what went wrong, on one line, and gives the exit code that goes with it. */
export async function tellFailure(
  error: unknown,
  env: Environment,
  output: Output,
  options: { readonly json: boolean; readonly verbose: boolean },
  redactor?: () => Promise<Pick<Redactor, "text">>,
): Promise<number> {
  output.waiting(undefined);
  const cut = await cutterOf(redactor);
  const shown = shownError(error) ?? await environmentFault(error, env) ?? {
    code: "internal",
    sentence: await keepFailure(error, env, systemClock.nowMs(), cut),
    exit: EXIT.error,
  };
  const sentence = cut(shown.sentence);
  if (options.json) output.jsonLine({ code: shown.code, error: sentence });
  output.error(sentence);
  if (options.verbose) {
    for (const cause of causesOf(error)) output.note(`  because: ${cut(cause)}`);
    if (!(error instanceof SionError)) output.note(`  because: ${cut(messageOf(error))}`);
  }
  return shown.exit;
}

/** What cuts secrets out of an error. Where they cannot be read, none came from what is kept. */
async function cutterOf(
  redactor: (() => Promise<Pick<Redactor, "text">>) | undefined,
): Promise<(text: string) => string> {
  if (redactor === undefined) return (text) => text;
  try {
    const secrets = await redactor();
    return (text) => secrets.text(text);
  } catch {
    return (text) => text;
  }
}
