/** What a hook is: a command of the operator's that runs around calls and runs of their agents. */
import * as z from "zod";

/** When hooks run. `before-tool` may block a call; the others cannot change what happens. */
export const HOOK_EVENTS = ["before-tool", "after-tool", "run-start", "run-end"] as const;

/** One of {@link HOOK_EVENTS}. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Seconds after which a hook is stopped, where nobody says otherwise. */
export const DEFAULT_TIMEOUT_S = 30;
/** A longer one would hold a call for ever. */
export const MAX_TIMEOUT_S = 3_600;
/** Hooks that are kept at most. */
export const MAX_HOOKS = 100;

/** One hook, as `hooks.json` has it. */
export const hookSchema = z.strictObject({
  event: z.enum(HOOK_EVENTS),
  /** A pattern of tools' names, `*` for any characters; tool events only. @default every tool */
  tool: z.string().min(1).max(200).exactOptional(),
  timeout_s: z.number().int().min(1).max(MAX_TIMEOUT_S),
  /** The program and its arguments; no shell is in between. */
  command: z.array(z.string().max(4_096)).min(1).max(200),
});

/** A hook. */
export type Hook = z.infer<typeof hookSchema>;

/** Whether a hook is for a tool. Its pattern's pieces are taken one after another, so none is tried twice. */
export function isFor({ tool: pattern }: Hook, tool: string): boolean {
  if (pattern === undefined) return true;
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return tool === pattern;
  if (!tool.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = tool.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at + last.length <= tool.length && tool.endsWith(last);
}
