/** What a command of conversations is: `/stop`, `/approve` and so on. One file a command. */
import type { ChatPlace } from "#internal/store/mod.ts";
import type { RunEnd } from "../conversation.ts";
import type { Conversation } from "../held_conversation.ts";
import type { AgentMachine } from "../machine.ts";
import type { SessionOptions } from "../open.ts";
import type { Choices, SessionState } from "../state.ts";

/** Characters of an argument that errors quote. */
const QUOTED_LENGTH = 60;

/** Who wrote, as the channel knows them. */
export interface ChatPerson {
  /** `cli:root`, `slack:U07`, `http:token 3046d92e`. */
  readonly who: string;
  /** Whether they may approve calls and choose what the chat's sessions go by. */
  readonly mayDecide: boolean;
}

/** What a command answers: words of its own, or how a run ended that it had the agent make. */
export type CommandAnswer =
  | {
    readonly said: string;
    /** What is worth saying besides where there is room for it, a line each. */
    readonly details?: readonly string[];
  }
  | { readonly end: RunEnd };

/** The conversation as its commands see and change it. */
export interface CommandChat {
  readonly machine: AgentMachine;
  readonly place: ChatPlace;
  /** What its new sessions are opened with. */
  readonly profile: SessionOptions;
  /** What it chose for its sessions. */
  readonly choices: Choices;
  /** The commands it offers. */
  readonly commands: readonly ChatCommand[];
  /** Its session; missing when the next message starts one. */
  readonly session: string | undefined;
  /** How long the agent has been at work here, ms; missing when it is not. */
  readonly workingMs: number | undefined;
  /** Whether another process, or another conversation of this one, holds its session. */
  readonly heldElsewhere: boolean;
  /** The state of its session as of now, whoever holds it; for looking. */
  state(): SessionState | undefined;
  /**
   * Does something with its session, held meanwhile.
   * @throws {AgentError} `nothing-said` when it is in none
   */
  within<T>(work: (conversation: Conversation, signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Stops what the agent does, and drops what waits. False when it does nothing. */
  stop(): boolean;
  /** Goes on in another session. */
  enter(session: string): Promise<void>;
  /** Leaves its session: the next message starts one. */
  leave(): Promise<void>;
  /** Keeps what it chose, and has its session go by it. */
  choose(choices: Choices, who: string): Promise<void>;
}

/** A command. */
export interface ChatCommand {
  /** Without the slash. */
  readonly name: string;
  /** How it is written, each way with what it does. */
  readonly usage: readonly (readonly [written: string, does: string])[];
  /** Whether only those who may decide can use it. */
  readonly needsDecider: boolean;
  /** Whether it is answered at once while the agent works. */
  readonly whileWorking: boolean;
  /**
   * @param argument what stands behind its name, trimmed; empty when nothing does
   * @throws {SionError} in a sentence for the person
   */
  run(
    chat: CommandChat,
    argument: string,
    person: ChatPerson,
  ): Promise<CommandAnswer> | CommandAnswer;
}

/** Declares a command. */
export function defineChatCommand(command: ChatCommand): ChatCommand {
  return command;
}

/** A request's id in front of an argument, and what is left of it. */
export function requestIn(
  argument: string,
): { readonly request?: string; readonly rest: string } {
  const match = /^([0-9a-f]{8})(?:\s+|$)/i.exec(argument);
  if (match?.[1] === undefined) return { rest: argument };
  return { request: match[1].toLowerCase(), rest: argument.slice(match[0].length) };
}

/** An argument as errors quote it: its beginning. */
export function quoted(argument: string): string {
  return argument.length <= QUOTED_LENGTH
    ? argument
    : `${argument.slice(0, QUOTED_LENGTH).toWellFormed()}…`;
}

/** A number for people: `12,345`. */
export function grouped(value: number | bigint): string {
  return value.toString().replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
