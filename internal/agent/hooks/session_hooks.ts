/** A session's hooks: which run when, what their exits mean, and where their failures are written. */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, stringifyJson } from "#internal/core/mod.ts";
import type { Clock, JsonValue } from "#internal/core/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { ensureFolder } from "#internal/runtime/mod.ts";
import type { RunEnd } from "../conversation.ts";
import type { Question } from "../policy/mod.ts";
import type { Hook } from "./hook.ts";
import { isFor } from "./hook.ts";
import type { HooksPlace } from "./hooks_file.ts";
import { readHooks } from "./hooks_file.ts";
import type { HookEnd, HookInput } from "./run_hook.ts";
import { runHook } from "./run_hook.ts";

/** Exit code with which a hook blocks a call. */
const BLOCKS = 2;

/** Somebody's commands around calls and runs. They see a call after the policy let it run. */
export interface SessionHooks {
  /** Whether any is around calls: then what only reads is made one after another. */
  readonly aroundCalls: boolean;
  /** Says why the call is not to be made, or nothing. Throwing blocks it too. */
  beforeTool?(question: Question): Promise<string | undefined>;
  /** What is added to what the model is told of the call, or nothing. */
  afterTool?(question: Question, result: ToolResult): Promise<string | undefined>;
  /** What is added to the person's message that begins the run, or nothing. */
  runStart?(said: string): Promise<string | undefined>;
  /** Told how a run ended. */
  runEnd?(end: Exclude<RunEnd, { how: "waiting" }>): Promise<void>;
}

/** Whose hooks, and where they run. */
export interface SessionHooksOptions extends HooksPlace {
  readonly session: string;
  /** The session's workspace. @default `cwd` */
  readonly workspace?: string;
  readonly cwd: string;
  readonly clock: Clock;
  /** Stops hooks that run when the run is stopped; what comes after a stop still has its time. */
  readonly signal?: AbortSignal;
  /** Says something that a person should know. */
  readonly notice: (text: string) => void;
}

/** The operator's hooks for a session. @throws {AgentError} `hooks`: no session runs until it is fixed */
export async function openHooks(options: SessionHooksOptions): Promise<SessionHooks> {
  const all = await readHooks(options);
  if (all.length === 0) return { aroundCalls: false };
  const { session, env, workspace, cwd, signal } = options;
  const place = { env, folder: workspace ?? cwd, ...(signal === undefined ? {} : { signal }) };
  const run = (hook: Hook, input: Omit<HookInput, "session" | "event">): Promise<HookEnd> =>
    runHook(hook, { event: hook.event, session, ...input }, place);
  const numbered = all.map((hook, index) => ({ hook, number: index + 1 }));
  const of = (event: Hook["event"], tool?: string) =>
    numbered.filter(({ hook }) =>
      hook.event === event && (tool === undefined || isFor(hook, tool))
    );

  /** What hooks that cannot block print on exit 0, a line each; what fails goes to the log. */
  async function printed(
    hooks: readonly { readonly hook: Hook; readonly number: number }[],
    input: Omit<HookInput, "session" | "event">,
  ): Promise<string | undefined> {
    const texts: string[] = [];
    for (const { hook, number } of hooks) {
      const end = await run(hook, input);
      if (end.how === "exited" && end.code === 0) {
        if (end.stdout !== "") texts.push(end.stdout);
      } else await keepFailure(options, number, hook, failureOf(end));
    }
    return texts.length === 0 ? undefined : texts.join("\n");
  }

  return {
    aroundCalls: numbered.some(({ hook: { event } }) => event.endsWith("-tool")),
    async beforeTool({ tool, call }) {
      for (const { hook, number } of of("before-tool", tool.name)) {
        const end = await run(hook, { tool: tool.name, input: call.input ?? null });
        if (end.how === "exited" && end.code === 0) continue;
        if (end.how === "exited" && end.code === BLOCKS) {
          const why = end.stderr === "" ? end.stdout : end.stderr;
          return why === "" ? "a hook of the operator's blocked the call" : why;
        }
        return `hook ${number} failed (${failureOf(end)}), so the call was not made`;
      }
      return undefined;
    },
    afterTool({ tool, call }, result) {
      const outcome = result.ok
        ? { ok: true, text: result.text }
        : { ok: false, code: result.code, text: result.message };
      const input = { tool: tool.name, input: call.input ?? null, outcome };
      return printed(of("after-tool", tool.name), input);
    },
    runStart: (said) => printed(of("run-start"), { said }),
    async runEnd(end) {
      await printed(of("run-end"), { ended: endedOf(end) });
    },
  };
}

function endedOf(end: Exclude<RunEnd, { how: "waiting" }>): JsonValue {
  switch (end.how) {
    case "done":
      return { how: end.how, said: end.said };
    case "stopped":
      return { how: end.how, code: end.code, message: end.message };
  }
}

function failureOf(end: HookEnd): string {
  if (end.how === "failed") return end.why;
  const said = end.stderr === "" ? "" : `: ${end.stderr.slice(0, 500)}`;
  return `exit status ${end.code}${said}`;
}

/** A line of JSON a failure. That it cannot be written is no reason to stop an agent. */
async function keepFailure(
  { home, clock, session, notice }: SessionHooksOptions,
  number: number,
  { event, command }: Hook,
  failure: string,
): Promise<void> {
  const time = new Date(clock.nowMs()).toISOString();
  const line = stringifyJson({ time, session, hook: number, event, command, failure });
  try {
    await ensureFolder(join(home, "agents"));
    await appendFile(join(home, "agents", "hooks.log"), `${line}\n`, { mode: 0o600 });
  } catch (error) {
    notice(
      `hook ${number} failed (${failure}), and hooks.log cannot be written: ${messageOf(error)}`,
    );
  }
}
