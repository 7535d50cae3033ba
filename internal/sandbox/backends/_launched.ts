/** A sandbox that was started: what runs in it, which may still wait for its command. */
import { rm } from "node:fs/promises";
import type { CommandGroup } from "../cgroup.ts";
import type { SandboxCommand, Sandboxed } from "../sandbox.ts";
import type { CommandProxy } from "./_command_proxy.ts";
import type { StartedChild } from "./_starter.ts";

/** Signals by number, of those that end a process from outside. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** All of a command but its words. */
export type Unsaid = Omit<SandboxCommand, "argv">;

/** A sandbox that was started. */
export interface Launched extends Sandboxed {
  /** Whether it runs still, and shows what it would show if it were started now. */
  isReady(): boolean;
}

/** Whether a command is with others in a space: one that may reach more, or sees more, is apart. */
export function isShared({ bare, hosts, show = [] }: Unsaid): boolean {
  return bare !== true && hosts === undefined && show.length === 0;
}

/** Whether a command is like every other until its words are known. */
export function isPlain(command: Unsaid): boolean {
  const { input, env = {} } = command;
  return isShared(command) && input !== "pipe" && Object.keys(env).length === 0;
}

/** What was started, with what is to go when it ends. */
export function launchedBy(
  child: StartedChild,
  { group, variables, proxy, isSame }: {
    readonly group: CommandGroup | undefined;
    readonly variables?: string | undefined;
    readonly proxy?: CommandProxy | undefined;
    readonly isSame: () => boolean;
  },
): Launched {
  let isOver = false;
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr as Sandboxed["stderr"],
    isReady: () => !isOver && isSame(),
    kill() {
      // The process that started it ends first; with it the namespace, and all that is in it.
      child.kill("SIGKILL");
      group?.kill();
    },
    exited: child.exited.then(async ({ code, signal }) => {
      isOver = true;
      const outOfMemory = group?.outOfMemory() ?? false;
      await group?.remove();
      await proxy?.[Symbol.asyncDispose]();
      if (variables !== undefined) await rm(variables, { force: true });
      return { status: code ?? 128 + (SIGNALS[signal ?? ""] ?? 9), outOfMemory };
    }),
  };
}
