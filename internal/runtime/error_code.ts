/** What the system calls an error. */
import { messageOf } from "#internal/core/mod.ts";

/** The system's code of an error, as `ENOENT`; its message when it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : messageOf(error);
}
