/** `$SION_HOME/agents/hooks.json`: the operator's hooks, which only they may change. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as z from "zod";
import { messageOf, stringifyJson, utf8, utf8Text } from "#internal/core/mod.ts";
import {
  displayPath,
  ensureFolder,
  readFileIfThere,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "#internal/store/mod.ts";
import { AgentError } from "../errors.ts";
import type { Hook } from "./hook.ts";
import { hookSchema, MAX_HOOKS } from "./hook.ts";

/** Bits of a mode that let others than the owner write. */
const OTHERS_WRITE = 0o022;

const fileSchema = z.strictObject({
  version: z.literal(1),
  hooks: z.array(hookSchema).max(MAX_HOOKS),
});

/** Where hooks are kept. */
export interface HooksPlace {
  /** `$SION_HOME`. */
  readonly home: string;
  readonly env: Environment;
}

/**
 * The hooks in their order; none when there is no file.
 * @throws {AgentError} `hooks` when others than its owner may change the file, or it is not as written
 */
export async function readHooks({ home, env }: HooksPlace): Promise<readonly Hook[]> {
  const path = fileOf(home);
  const shown = displayPath(path, env);
  const bytes = await readFileIfThere(path, { shownAs: shown });
  if (bytes === undefined) return [];
  await checkOwner(path, shown);
  try {
    return fileSchema.parse(JSON.parse(utf8Text(bytes))).hooks;
  } catch (cause) {
    const why = cause instanceof z.ZodError
      ? cause.issues.map(issueText).join("; ")
      : messageOf(cause);
    throw new AgentError("hooks", `${shown} is not as sion wrote it (${why}): mend or remove it`, {
      cause,
    });
  }
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/** Adds a hook at the end and gives its number, from 1. @throws {AgentError} `hooks` */
export async function addHook(place: HooksPlace, hook: Hook): Promise<number> {
  return await change(place, (hooks) => {
    if (hooks.length >= MAX_HOOKS) {
      throw new AgentError("hooks", `there are ${MAX_HOOKS} hooks already: remove one first`);
    }
    hooks.push(hook);
    return hooks.length;
  });
}

/** Removes a hook by its number and gives it. @throws {AgentError} `hooks` when there is none such */
export async function removeHook(place: HooksPlace, number: number): Promise<Hook> {
  return await change(place, (hooks) => {
    const [removed] = Number.isInteger(number) && number >= 1 ? hooks.splice(number - 1, 1) : [];
    if (removed !== undefined) return removed;
    throw new AgentError(
      "hooks",
      hooks.length === 0
        ? "there are no hooks: `sion agent hooks add` keeps one"
        : `there is no hook ${number}: \`sion agent hooks list\` numbers them from 1 to ` +
          String(hooks.length),
    );
  });
}

/** Changes the file's hooks, no other process in between. */
async function change<T>(place: HooksPlace, body: (hooks: Hook[]) => T): Promise<T> {
  const path = fileOf(place.home);
  return await asOnlyWriter(place.home, "hooks", async () => {
    const hooks = [...await readHooks(place)];
    const result = body(hooks);
    await ensureFolder(join(place.home, "agents"));
    await writeFileAtomic(path, utf8(`${stringifyJson({ version: 1, hooks }, 2)}\n`));
    return result;
  });
}

function fileOf(home: string): string {
  return join(home, "agents", "hooks.json");
}

/** What anyone else may change would run as its owner. */
async function checkOwner(path: string, shown: string): Promise<void> {
  for (const [at, name] of [[path, shown], [join(path, ".."), join(shown, "..")]] as const) {
    const { mode, uid } = await stat(at);
    if ((mode & OTHERS_WRITE) !== 0) {
      throw new AgentError(
        "hooks",
        `others can change ${name} (mode 0${(mode & 0o777).toString(8)}), and hooks run as you: ` +
          `look at it, then run \`chmod go-w ${name}\``,
      );
    }
    const self = process.getuid?.();
    if (self !== undefined && uid !== self && uid !== 0) {
      throw new AgentError(
        "hooks",
        `${name} belongs to user ${uid}, and hooks run as you: look at it, then make it yours`,
      );
    }
  }
}
