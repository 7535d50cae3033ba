/** What the tools that run commands share. */
import type { Services } from "../capabilities/mod.ts";
import type { Effect, ToolResult } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { SandboxError } from "#internal/sandbox/mod.ts";
import type { Shell } from "../capabilities/mod.ts";
import type { AgentTool, AgentToolContext, ToolSituation } from "./_tool.ts";

/** Text of an answer, characters: the output's 64 KiB, and what is said about it. */
export const ANSWER_LENGTH = 68_000;
/** What ends a command may take besides its own time, ms. */
const ENDING_MS = 10_000;

/** The session's shell. @throws {TypeError} when it has none, which only a bug can cause */
export function shellOf({ services }: Pick<AgentToolContext, "services">): Shell {
  if (services.shell === undefined) throw new TypeError("Cannot run a command without a shell");
  return services.shell;
}

/** What every tool says of itself whose calls run commands; only `openWorld` differs between them. */
export const runsCommands = {
  needs: ["workspace", "shell"],
  highestEffect: "external",
  effect: (_input: unknown, situation: ToolSituation) => commandEffect(situation),
  outside: commandSource,
  readsWorkspace: true,
  repeatHarmless: true,
  fromPrograms: false,
  limitMs: commandLimitMs,
} as const satisfies Partial<AgentTool>;

/** A command changes files; one that has a network reaches whatever it likes. */
function commandEffect(situation: ToolSituation): Effect {
  return shellOf(situation).sandbox.online ? "external" : "write";
}

/** What a command answered; the value says whether it could reach anything. */
export function commandAnswer({ sandbox }: Shell, text: string): ToolResult {
  return { ok: true, text, value: { network: sandbox.online } };
}

/** What a command with a network printed may come from anywhere. */
export function commandSource(result: ToolResult): string | undefined {
  if (!result.ok) return undefined;
  const network = (result.value as { readonly network?: boolean } | undefined)?.network;
  return network === true ? "a command with network" : undefined;
}

/** Time of a call that runs a command: its own limit comes first. */
export function commandLimitMs(services: Services): number {
  return shellOf({ services }).sandbox.limits.timeMs + ENDING_MS;
}

/** A sandbox that does not start any more, as a failed call; anything else is thrown on. */
export function sandboxFailure(error: unknown): ToolResult {
  if (error instanceof SandboxError) return refused(error.code, error.message);
  throw error;
}
