/** The operator's hooks: commands of theirs around calls and runs of their agents. */
export type { Hook, HookEvent } from "./hook.ts";
export { DEFAULT_TIMEOUT_S, HOOK_EVENTS, MAX_TIMEOUT_S } from "./hook.ts";
export { addHook, readHooks, removeHook } from "./hooks_file.ts";
export type { SessionHooks, SessionHooksOptions } from "./session_hooks.ts";
export { openHooks } from "./session_hooks.ts";
