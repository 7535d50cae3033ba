/**
 * The lines that mean something at a terminal or in a pipe alone: on a channel nobody leaves, and files come with
 * the message.
 */

/** How they are written, each with what it does. */
const USAGE: readonly (readonly [written: string, does: string])[] = [
  ["/file <path>", "sends a file of this machine with the next message"],
  ["/quit", "leaves; the session is kept"],
];

/** Their names, for Tab. */
export const ownCommands: readonly string[] = USAGE.map(([written]) =>
  written.split(" ", 1)[0] ?? ""
);

/** True of `/quit` and `/exit`, whatever their case. */
export function isLeaveLine(text: string): boolean {
  return /^\/(quit|exit)$/i.test(text.trim());
}

/** The path that a line sends along; empty when it names none, nothing when it is another line. */
export function fileLine(text: string): string | undefined {
  const match = /^\/file(?:\s+(.*))?$/i.exec(text.trim());
  return match === null ? undefined : match[1] ?? "";
}

/** What help has besides the commands of every channel; nothing where no help was asked for. */
export function ownHelp(text: string): readonly string[] {
  if (!/^\/(\?|help)?$/i.test(text.trim())) return [];
  const width = Math.max(...USAGE.map(([written]) => written.length));
  return ["here besides:", ...USAGE.map(([written, does]) => `${written.padEnd(width)}  ${does}`)];
}
