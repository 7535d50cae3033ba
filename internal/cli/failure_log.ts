/** What is kept of a fault of sion itself, for a report. */
import { join } from "node:path";
import { messageOf, utf8, VERSION } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import {
  displayPath,
  ensureFolder,
  platformName,
  runtimeVersion,
  sionHome,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";

/**
 * Keeps the stack in `$SION_HOME/logs` and answers with the sentence that says so.
 * @param cut cuts secrets out of what is kept
 */
export async function keepFailure(
  error: unknown,
  env: Environment,
  nowMs: number,
  cut: (text: string) => string,
): Promise<string> {
  const folder = join(sionHome(env), "logs");
  const path = join(folder, `failure-${nowMs}.txt`);
  const about = `sion ${VERSION} (${platformName()}), ${runtimeVersion()}`;
  const stack = cut(error instanceof Error ? error.stack ?? error.message : messageOf(error));
  try {
    await ensureFolder(folder);
    await writeFileAtomic(path, utf8(`${about}\n${stack}\n`.toWellFormed()));
    return `sion failed inside, your data is kept: report it with ${displayPath(path, env)}`;
  } catch {
    const line = messageOf(error).replaceAll(/\s+/g, " ");
    return `sion failed inside (${line}), your data is kept: report it with this line`;
  }
}
