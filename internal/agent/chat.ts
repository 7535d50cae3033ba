/**
 * One conversation on a channel: what a person writes is a command or words for the agent, one after
 * another, in the session that the conversation is in. The terminal, HTTP and messengers are front
 * ends to this; who may decide, and what to do while the agent works, they say.
 */
import { createRedactor, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ChatPlace } from "#internal/store/mod.ts";
import * as z from "zod";
import type { ChatCommand, CommandAnswer, CommandChat } from "./commands/mod.ts";
import { chatCommands, readLine } from "./commands/mod.ts";
import type { Listener, PersonMessage, RunEnd, SentFile } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { eventKinds } from "./events/mod.ts";
import { createFolder } from "./fold.ts";
import { mediaTypeOf } from "./given_names.ts";
import type { Conversation } from "./held_conversation.ts";
import type { AgentMachine } from "./machine.ts";
import type { SessionOptions } from "./open.ts";
import { openSession, reopenSession } from "./open.ts";
import { waitingText } from "./print.ts";
import { MAX_SENT_BYTES } from "./sent_files.ts";
import { redacted } from "./secrets.ts";
import type { Choices, SessionState } from "./state.ts";
import { saidInRun, sentInRun, waitingCall } from "./state.ts";
import { openWorkspace, WorkspaceError } from "./workspace.ts";

/** What a conversation is opened with. */
export interface ChatOptions {
  readonly machine: AgentMachine;
  readonly place: ChatPlace;
  /** What its new sessions are opened with. */
  readonly profile: SessionOptions;
  /** What a message does that comes while the agent works: wait for its turn, or nothing. */
  readonly whenBusy: "wait" | "refuse";
  /** Who may decide, in words, for those who may not. @default not said */
  readonly deciders?: string;
  /** @default all */
  readonly commands?: readonly ChatCommand[];
}

/** Why a message was not taken, for programs; errors of other units keep their own codes. */
export type ChatRefusal = "busy" | "may-not-decide" | "unknown-command" | "dropped" | "closed";

/** The answer to one message. */
export interface ChatReply {
  /** What is said to the person. Empty when nothing is. */
  readonly said: string;
  /** The session the conversation is in. */
  readonly session: string | null;
  /** What is worth saying besides where there is room, a line each. */
  readonly details: readonly string[];
  /** How the run ended that it made the agent do. */
  readonly end?: RunEnd;
  /** Files of the workspace that go to the person after what is said; `readSent` reads them. */
  readonly files?: readonly string[];
  /** Why nothing came of it: a `ChatRefusal`, or the code of an error. */
  readonly refused?: string;
}

/** More messages than this do not wait. */
const MOST_WAITING = 100;
/** Characters of one message. */
const MOST_CHARACTERS = 1_000_000;

const choicesSchema: z.ZodType<Choices> = z.object({
  model: z.string().exactOptional(),
  system: z.string().exactOptional(),
  tools: z.array(z.string()).exactOptional(),
});

/** What the agent is doing for a message. */
interface Work {
  readonly controller: AbortController;
  readonly beganMs: number;
}

/** A conversation. Whoever makes it disposes of it; its sessions are kept. */
export class Chat implements AsyncDisposable {
  readonly #options: ChatOptions;
  readonly #commands: readonly ChatCommand[];
  #conversation: Conversation | undefined;
  #listener: Listener = () => {};
  #work: Work | undefined;
  /** Ends when everything that came before has been answered. */
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Raised to drop what waits. */
  #dropped = 0;
  #closed = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#commands = options.commands ?? chatCommands;
  }

  /** The session it is in; missing when the next message starts one. */
  get session(): string | undefined {
    const { machine, place } = this.#options;
    return machine.sessions.chats.read(place).session;
  }

  /** Whether the agent is at work in it. */
  get working(): boolean {
    return this.#work !== undefined;
  }

  /** The state of its session as of now, whoever holds it; for looking. */
  state(): SessionState | undefined {
    const { machine } = this.#options;
    const { session } = this;
    if (session === undefined) return undefined;
    if (this.#conversation?.session === session) {
      this.#conversation.look();
      return this.#conversation.state;
    }
    const folder = createFolder(machine.kinds ?? eventKinds);
    return folder.fold(session, machine.sessions.read(session));
  }

  /**
   * Reads a file that goes to the person, as it is now. @returns nothing when it cannot be had any more
   */
  async readSent(path: string): Promise<(SentFile & { readonly bytes: Uint8Array }) | undefined> {
    const { workspace: folder } = this.state()?.settings ?? {};
    if (folder === undefined) return undefined;
    try {
      const { bytes } = await (await openWorkspace(folder)).readWhole(path, MAX_SENT_BYTES);
      const name = path.split("/").at(-1) ?? path;
      return { name, mediaType: mediaTypeOf(bytes, name), size: bytes.length, bytes };
    } catch (error) {
      if (error instanceof WorkspaceError) return undefined;
      throw error;
    }
  }

  /** Stops what the agent does, and drops what waits. False when there is nothing to stop. */
  stop(): boolean {
    if (this.#work === undefined) return false;
    this.#dropped++;
    this.#work.controller.abort(new SionError("cancelled", "it was stopped"));
    return true;
  }

  /**
   * Answers what a person wrote. Errors that a person can do something about are answers too.
   * @param listener hears what the agent does for it
   */
  async handle(message: PersonMessage, listener: Listener = () => {}): Promise<ChatReply> {
    const refusal = this.#refusal(message);
    if (refusal !== undefined) return refusal;
    const line = readLine(message.text, this.#commands);
    if ("unknown" in line) return this.#refuse("unknown-command", line.unknown);
    if ("words" in line) {
      const words = { ...message, text: line.words };
      return await this.#inTurn(listener, () => this.#say(words));
    }
    const { command, argument } = line;
    if (command.needsDecider && !message.mayDecide) return this.#mayNot(command);
    // What would be passed over may have been meant, as in `/undo 3`; stopping is never put off.
    if (argument !== "" && takesNothing(command) && command.name !== "stop") {
      return this.#refuse(
        "argument",
        `/${command.name} takes nothing behind it: write it alone; nothing was done`,
      );
    }
    const run = async () => await command.run(this.#forCommands(), argument, message);
    return command.whileWorking ? await this.#answer(run) : await this.#inTurn(listener, run);
  }

  /** Stops what is going on, and closes what is open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.stop();
    await this.#turns;
    await this.#close();
  }

  #refusal({ text }: PersonMessage): ChatReply | undefined {
    if (this.#closed) return this.#refuse("closed", "this conversation is closed");
    if (text.length <= MOST_CHARACTERS) return undefined;
    return this.#refuse(
      "option",
      `the message has ${text.length} characters, at most ${MOST_CHARACTERS} are taken: ` +
        "put it in a file of the workspace",
    );
  }

  #refuse(refused: ChatRefusal | "option" | "argument", said: string): ChatReply {
    return { said, session: this.session ?? null, details: [], refused };
  }

  #mayNot({ name }: ChatCommand): ChatReply {
    const { deciders } = this.#options;
    const who = deciders === undefined ? "" : `: ${deciders}`;
    return this.#refuse("may-not-decide", `/${name} is for those who may decide here${who}`);
  }

  /** Answers when all that came before is answered, or not at all, as the channel wants it. */
  async #inTurn(
    listener: Listener,
    run: () => Promise<CommandAnswer>,
  ): Promise<ChatReply> {
    const { whenBusy } = this.#options;
    const isBusy = this.#waiting > 0;
    if (isBusy && (whenBusy === "refuse" || this.#waiting >= MOST_WAITING)) {
      return this.#refuse(
        "busy",
        "the agent is at work here: /stop stops it, /status says where it stands",
      );
    }
    this.#waiting++;
    const dropped = this.#dropped;
    const before = this.#turns;
    const mine = Promise.withResolvers<void>();
    this.#turns = mine.promise;
    try {
      await before;
      if (dropped !== this.#dropped) return this.#refuse("dropped", "");
      this.#listener = listener;
      return await this.#answer(run);
    } finally {
      this.#waiting--;
      mine.resolve();
    }
  }

  async #answer(run: () => Promise<CommandAnswer>): Promise<ChatReply> {
    try {
      const answer = await run();
      if (!("end" in answer)) {
        const { said, details = [] } = answer;
        return { said, session: this.session ?? null, details };
      }
      const { end } = answer;
      const said = this.#saidOf(end);
      const state = end.how === "done" ? this.state() : undefined;
      const files = state === undefined ? [] : sentInRun(state);
      const sent = files.length === 0 ? {} : { files };
      return { said, session: end.session, details: [], end, ...sent };
    } catch (error) {
      // Everything that a person can do something about has a code; the rest is a bug.
      if (!(error instanceof SionError)) throw error;
      const { message, code } = error as SionError;
      return { said: message, session: this.session ?? null, details: [], refused: code };
    }
  }

  /** What a person is told of a run that ended. */
  #saidOf(end: RunEnd): string {
    const state = this.state();
    if (end.how === "done" || state === undefined) return "said" in end ? end.said : "";
    const parts = [saidInRun(state)];
    const waiting = waitingCall(state);
    if (end.how === "stopped") {
      parts.push(end.code === "cancelled" ? "Stopped." : `stopped: ${end.message}`);
    } else if (waiting !== undefined) {
      const { tool, input = null, judged, request } = waiting;
      const call = waitingText({ tool, input, why: judged?.why ?? "", request });
      parts.push(`waiting for your approval: ${call}`);
    }
    return parts.filter((part) => part !== "").join("\n\n");
  }

  async #say(message: PersonMessage): Promise<CommandAnswer> {
    if (this.session !== undefined) {
      return {
        end: await this.#within((conversation, signal) =>
          this.#told(conversation, message, signal)
        ),
      };
    }
    return { end: await this.#working((signal) => this.#begin(message, signal)) };
  }

  /** Words for a session that is there. */
  async #told(
    conversation: Conversation,
    message: PersonMessage,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { state } = conversation;
    const last = state.said.at(-1);
    if (message.id !== undefined && last?.id === message.id && last.forgotten !== true) {
      return await conversation.resume(signal);
    }
    const waiting = waitingCall(state);
    if (waiting === undefined) return await conversation.say(message, signal);
    const { tool, input = null, judged, request } = waiting;
    const call = waitingText({ tool, input, why: judged?.why ?? "", request });
    throw new AgentError(
      "waits",
      `waiting for your approval: ${call}: write /approve or /decline <why> first`,
    );
  }

  /** Words that start a session. */
  async #begin(message: PersonMessage, signal: AbortSignal): Promise<RunEnd> {
    const { machine, place, profile } = this.#options;
    await this.#close();
    const choices = this.#choices();
    const chosen = Object.keys(choices).length === 0
      ? {}
      : { chosen: { choices, who: message.who } };
    this.#conversation = await openSession(
      machine,
      { ...profile, ...chosen },
      (event) => this.#listener(event),
      message,
    );
    machine.sessions.chats.enter(place, this.#conversation.session);
    return await this.#conversation.resume(signal);
  }

  async #within<T>(
    work: (conversation: Conversation, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return await this.#working(async (signal) => await work(await this.#open(), signal));
  }

  /** Does something that can be stopped, and lets others hold the session afterwards. */
  async #working<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#work = { controller, beganMs: this.#options.machine.clock.nowMs() };
    try {
      return await work(controller.signal);
    } finally {
      this.#work = undefined;
      this.#conversation?.rest();
    }
  }

  /** Its session, opened if it is not yet. */
  async #open(): Promise<Conversation> {
    const { machine } = this.#options;
    const { session } = this;
    if (session === undefined) {
      throw new AgentError(
        "nothing-said",
        "there is no session yet: the next message starts one",
      );
    }
    if (this.#conversation?.session === session) {
      this.#conversation.wake();
      return this.#conversation;
    }
    await this.#close();
    this.#conversation = reopenSession(machine, session, (event) => this.#listener(event));
    return this.#conversation;
  }

  async #close(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    await conversation?.[Symbol.asyncDispose]();
  }

  #choices(): Choices {
    const { machine, place } = this.#options;
    const { choices } = machine.sessions.chats.read(place);
    return choices === undefined ? {} : choicesSchema.parse(choices);
  }

  /** Its session goes by what was chosen first: what is kept then is what the next ones start with. */
  async #choose(choices: Choices, who: string): Promise<void> {
    const { machine, place } = this.#options;
    const redactor = await machine.secrets?.redactor() ?? createRedactor([]);
    const kept = redacted(redactor, { ...choices } as JsonValue);
    if (this.session !== undefined) {
      await this.#within((conversation) => conversation.choose(choices, who));
    }
    machine.sessions.chats.choose(place, kept);
  }

  /** What commands see of it, as of now. */
  #forCommands(): CommandChat {
    const { machine, place, profile } = this.#options;
    const { session } = this;
    const work = this.#work;
    return {
      machine,
      place,
      profile,
      session,
      choices: this.#choices(),
      commands: this.#commands,
      workingMs: work === undefined ? undefined : machine.clock.nowMs() - work.beganMs,
      heldElsewhere: work === undefined && session !== undefined &&
        machine.sessions.summary(session).held,
      state: () => this.state(),
      stop: () => this.stop(),
      within: (run) => this.#within(run),
      choose: (choices, who) => this.#choose(choices, who),
      enter: async (to) => {
        await this.#close();
        machine.sessions.chats.enter(place, to);
      },
      leave: async () => {
        await this.#close();
        machine.sessions.chats.leave(place);
      },
    };
  }
}

/** Whether a command is written in no way with something behind its name. */
function takesNothing({ usage }: ChatCommand): boolean {
  return usage.every(([written]) => !written.includes(" "));
}
