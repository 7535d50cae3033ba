/** Tells what the system refuses from bugs. */

/** Whether an error is the system's answer, as `ENOENT`. */
export function isSystemError(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === "string";
}
