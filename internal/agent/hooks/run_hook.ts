/** Running one hook: the event on its standard input, its exit and what it wrote, within its time. */
import { concatBytes, messageOf, stringifyJson, utf8 } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { startChild } from "#internal/runtime/mod.ts";
import type { Readable } from "node:stream";
import type { Hook } from "./hook.ts";

/** Bytes that are kept of each of a hook's outputs; the rest is read and let go. */
const MAX_OUTPUT_BYTES = 16_384;

/** What a hook is told. `event` and `session` always, the rest as the event has them. */
export interface HookInput {
  readonly event: Hook["event"];
  readonly session: string;
  readonly tool?: string;
  readonly input?: JsonValue;
  readonly outcome?: JsonValue;
  readonly said?: string;
  readonly ended?: JsonValue;
}

/** Where hooks run. */
export interface HookPlace {
  readonly env: Environment;
  /** The session's workspace, if it has one; else where the runtime was started. */
  readonly folder: string;
  /** Ends the hook when it aborts; one that begins later is not ended by it. */
  readonly signal?: AbortSignal;
}

/** How a hook ended. */
export type HookEnd =
  | {
    readonly how: "exited";
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }
  /** It did not start, was ended by a signal, or ran out of time. */
  | { readonly how: "failed"; readonly why: string };

/**
 * Runs a hook. Never throws. When it returns, what the hook started is gone; on Linux also what made itself
 * a session of its own, unless that took `SION_HOOK_RUN` out of its environment.
 */
export async function runHook(hook: Hook, input: HookInput, place: HookPlace): Promise<HookEnd> {
  const [command = "", ...args] = hook.command;
  const { signal } = place;
  const early = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await using child = await startChild({
      command,
      args,
      cwd: place.folder,
      mark: "SION_HOOK_RUN",
      env: { ...place.env, SION_HOOK_EVENT: input.event, SION_SESSION: input.session },
    });
    child.stdin.end(utf8(`${stringifyJson(input as unknown as JsonValue)}\n`));
    const outputs = Promise.all([kept(child.stdout), kept(child.stderr)]);
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), hook.timeout_s * 1_000);
    });
    const stopped = new Promise<"stopped">((resolve) => {
      signal?.addEventListener("abort", () => resolve("stopped"), { signal: early.signal });
    });
    const exit = await Promise.race([child.ended, late, stopped]);
    if (exit === "late" || exit === "stopped") {
      child.kill("SIGKILL");
      const why = exit === "late" ? `it took longer than ${hook.timeout_s} s` : "it was stopped";
      return { how: "failed", why };
    }
    // What it left running ends with it, and lets go of its output.
    await child.stop(0);
    if (exit.code === null) return { how: "failed", why: `it was ended by ${exit.signal}` };
    const [stdout, stderr] = await outputs;
    return { how: "exited", code: exit.code, stdout, stderr };
  } catch (error) {
    return { how: "failed", why: messageOf(error) };
  } finally {
    clearTimeout(timer);
    early.abort();
  }
}

/** The beginning of a stream as text; the whole is read, so that its writer is not held up. */
async function kept(stream: Readable | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream ?? []) {
      const bytes = (chunk as Uint8Array).subarray(0, Math.max(0, MAX_OUTPUT_BYTES - size));
      if (bytes.length > 0) chunks.push(bytes);
      size += bytes.length;
    }
  } catch {
    // Closed here, since something that is no part of the hook any more holds it open.
  }
  const text = new TextDecoder().decode(concatBytes(...chunks)).trim();
  return size < MAX_OUTPUT_BYTES ? text : `${text}… (cut)`;
}
