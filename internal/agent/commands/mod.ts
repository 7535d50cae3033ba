/** The commands of conversations, in the order in which help lists them. A new one is a file and a line. */
import { closest } from "#internal/core/mod.ts";
import type { ChatCommand } from "./_command.ts";
import { allowed } from "./allowed.ts";
import { approve } from "./approve.ts";
import { compact } from "./compact.ts";
import { decline } from "./decline.ts";
import { fork } from "./fork.ts";
import { help } from "./help.ts";
import { model } from "./model.ts";
import { newSession } from "./new.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { rewind } from "./rewind.ts";
import { sessions } from "./sessions.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";
import { system } from "./system.ts";
import { title } from "./title.ts";
import { tools } from "./tools.ts";
import { undo } from "./undo.ts";
import { usage } from "./usage.ts";
import { whoami } from "./whoami.ts";

export type { ChatCommand, ChatPerson, CommandAnswer, CommandChat } from "./_command.ts";

/** Every command of this version. */
export const chatCommands: readonly ChatCommand[] = [
  stop,
  approve,
  decline,
  allowed,
  newSession,
  status,
  retry,
  undo,
  rewind,
  fork,
  compact,
  usage,
  sessions,
  resume,
  title,
  model,
  system,
  tools,
  whoami,
  help,
];

/** A line as a command, or as words for the agent. */
export type ReadLine =
  | { readonly command: ChatCommand; readonly argument: string }
  | { readonly words: string }
  /** It begins as a command does, and is none. */
  | { readonly unknown: string };

/**
 * Reads what a person wrote. A command is a slash and its name, whatever their case, with the name
 * that some messengers put behind it (`/stop@bot`); two slashes are words that begin with one. A slash
 * alone, or `/?`, asks for help.
 */
export function readLine(
  text: string,
  commands: readonly ChatCommand[] = chatCommands,
): ReadLine {
  if (text.startsWith("//")) return { words: text.slice(1) };
  const written = /^\/\??\s*$/.test(text) ? `/${help.name}` : text;
  const match = /^\/([a-z][a-z_-]{0,31})(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(written);
  if (match?.[1] === undefined) return { words: text };
  const name = match[1].toLowerCase();
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return { command, argument: match[2]?.trim() ?? "" };
  const near = closest(name, commands.map((one) => one.name));
  return {
    unknown:
      `there is no command /${name}${near === undefined ? "" : `, did you mean /${near}`}: ` +
      "/help lists them, and // in front says it to the agent as it is",
  };
}
