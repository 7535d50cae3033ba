/** The lines that leave a conversation at a terminal or in a pipe; on a channel nobody leaves. */

/** True of `/quit` and `/exit`, whatever their case. */
export function isLeaveLine(text: string): boolean {
  return /^\/(quit|exit)$/i.test(text.trim());
}
