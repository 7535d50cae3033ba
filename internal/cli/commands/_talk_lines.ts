/**
 * A conversation in plain lines: each line that comes in is a message or a command, what the agent
 * does comes out as `agent run` prints it. At a terminal lines are taken while the agent works.
 */
import type {
  AgentMachine,
  Chat,
  ChatPerson,
  ChatReply,
  Listener,
  RunEnd,
  SentFile,
  SessionOptions,
} from "#internal/agent/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import type { ChatPlace } from "#internal/store/mod.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, usageError } from "../errors.ts";
import { readSentFile } from "../sent_file.ts";
import { fileLine, isLeaveLine, ownHelp } from "../terminal/own_lines.ts";
import { printLine } from "./_conversation.ts";
import type { Asked } from "./_numbered_answers.ts";
import { meantByNumber, numberedAnswers } from "./_numbered_answers.ts";
import { folderNotice, standingNotice } from "./_talk_greeting.ts";

/** What a conversation is held with. */
export interface TalkOptions {
  readonly machine: AgentMachine;
  readonly place: ChatPlace;
  readonly profile: SessionOptions;
  readonly person: ChatPerson;
  /** The command line that goes on with it. */
  readonly back: string;
  /** Who is talked to: a profile's or an agent's name. */
  readonly name: string;
  /** Paths of files that go with the first message. */
  readonly files: readonly string[];
  /** `new`, a session's id, or empty to choose one. @default where it was */
  readonly start?: string | undefined;
}

/** Bytes of one line; a file belongs in the workspace. */
const MOST_LINE_BYTES = 1_000_000;
/** How many sessions one can choose from. */
const MOST_CHOICES = 20;
/** How long leaving waits for what cannot be stopped, ms; a session survives not being waited for. */
const LEAVE_MS = 1_000;

/** Holds the conversation until the lines end or a signal says to leave. @returns the exit code */
export async function talkInLines(context: CommandContext, options: TalkOptions): Promise<number> {
  const { Chat, exitCodeOf } = await import("#internal/agent/mod.ts");
  const { machine, place, profile } = options;
  const chat = new Chat({ machine, place, profile, whenBusy: "wait" });
  const lines = linesOf(context);
  try {
    await begin(context, options, chat, lines);
    if (context.input.isTty && !context.json) await greet(context, options, chat);
    const { end, refused } = await hold(context, options, chat, lines);
    // Whoever piped the lines in hears of the last one by the code alone.
    if (refused && !context.input.isTty) return EXIT.error;
    return end === undefined ? 0 : exitCodeOf(end);
  } finally {
    await Promise.race([chat[Symbol.asyncDispose](), sleep(LEAVE_MS)]);
  }
}

/** Says where the conversation stands, and what it waits for: nobody at a terminal sees it else. */
async function greet(
  context: CommandContext,
  { machine, profile, name }: TalkOptions,
  chat: Chat,
): Promise<void> {
  const stands = await standingNotice(chat, machine);
  const lines = stands.length === 0 ? folderNotice(profile, name, context) : stands;
  for (const line of lines) context.output.note(line);
  const waiting = await questionIn(chat);
  if (waiting !== undefined) (await talkListener(context))(waiting);
}

/** The question that the conversation waits with. */
async function questionIn(chat: Chat): Promise<Asked | undefined> {
  const { waitingEvent } = await import("#internal/agent/mod.ts");
  const state = chat.state();
  return state === undefined ? undefined : waitingEvent(state);
}

/** Puts the conversation where it is to start. */
async function begin(
  context: CommandContext,
  { machine, place, start, person }: TalkOptions,
  chat: Chat,
  lines: AsyncIterator<string>,
): Promise<void> {
  if (start === undefined) return;
  if (start === "new") {
    await chat.handle({ ...person, text: "/new" });
    return;
  }
  const chosen = start === "" ? await choose(context, machine, place, lines) : start;
  if (chosen === undefined) return;
  machine.sessions.chats.enter(place, machine.sessions.resolve(chosen));
}

/** Has the person choose one of the conversation's sessions, by number or id. */
async function choose(
  { output }: CommandContext,
  { sessions }: AgentMachine,
  place: ChatPlace,
  lines: AsyncIterator<string>,
): Promise<string | undefined> {
  const { listedOf } = await import("#internal/agent/mod.ts");
  const own = sessions.chats.sessions(place, MOST_CHOICES);
  if (own.length === 0) {
    output.note("no sessions to go on in yet: the first message starts one");
    return undefined;
  }
  for (const [index, id] of own.entries()) {
    const { session, standing, title } = listedOf(sessions.summary(id));
    output.note(`${index + 1} ${session} ${standing} ${title}`);
  }
  output.note("which one? A number, or nothing for a new session");
  for (;;) {
    const { value, done } = await lines.next();
    const text = done === true ? "" : value.trim();
    if (text === "") return undefined;
    const chosen = /^\d{1,2}$/.test(text) ? own[Number(text) - 1] : undefined;
    if (chosen !== undefined) return chosen;
    output.note(`give a number from 1 to ${own.length}`);
  }
}

/** How lines were answered: how the last run ended, and whether the last line was refused. */
interface Held {
  readonly end: RunEnd | undefined;
  readonly refused: boolean;
}

/** Answers lines until there are no more. */
async function hold(
  context: CommandContext,
  { person, back, files }: TalkOptions,
  chat: Chat,
  lines: AsyncIterator<string>,
): Promise<Held> {
  const { output, input } = context;
  const listener = await talkListener(context);
  const kept = () =>
    chat.session === undefined
      ? "nothing was said yet"
      : `session ${chat.session}: kept. Go on with \`${back}\``;
  let isStopping = false;
  context.onStop((signal) => {
    context.onInterrupt(kept());
    if (signal !== "SIGINT" || isStopping || !chat.stop()) return false;
    isStopping = true;
    output.note("stopping; Ctrl-C again leaves");
    return true;
  });
  let end: RunEnd | undefined;
  let refused = false;
  const pending = new Set<Promise<void>>();
  const along: SentFile[] = [];
  for (const path of files) along.push(await readSentFile(path, context));
  const sendAlong = async (path: string): Promise<void> => {
    try {
      along.push(await readSentFile(path, context));
      output.note(`${path} goes with the next message`);
    } catch (error) {
      if (!(error instanceof SionError)) throw error;
      refused = true;
      output.error(path === "" ? "/file needs a path: for example /file cart.png" : error.message);
    }
  };
  const answer = async (line: string): Promise<void> => {
    let text = line;
    const path = fileLine(text);
    if (path !== undefined) return await sendAlong(path);
    if (input.isTty) text = meantByNumber(text, await questionIn(chat));
    // A command is no message, and leaves them for the one that comes.
    const sent = text.startsWith("/") && !text.startsWith("//") ? [] : along.splice(0);
    const reply = await chat.handle({ ...person, text, files: sent }, listener);
    if (reply.end !== undefined) end = reply.end;
    refused = reply.refused !== undefined && reply.refused !== "dropped";
    isStopping = false;
    show(context, { ...reply, details: [...reply.details, ...ownHelp(text)] });
  };
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  for (;;) {
    if (input.isTty && pending.size === 0) output.stderr.write("you: ");
    const { value, done } = await Promise.race([lines.next(), failed.promise]);
    if (done === true) break;
    if (value.trim() === "") continue;
    if (isLeaveLine(value)) break;
    const answered: Promise<void> = answer(value).catch(failed.reject).finally(() => {
      pending.delete(answered);
      if (input.isTty && pending.size === 0) output.stderr.write("you: ");
    });
    pending.add(answered);
    // In a pipe nobody waits for a chance to say more; each line follows from the answer before.
    if (!input.isTty) await answered;
  }
  await Promise.race([Promise.all(pending), failed.promise]);
  if (chat.session !== undefined) output.note(kept());
  return { end, refused };
}

/** Lines as messages: one that ends in a backslash goes on in the next. */
async function* linesOf(context: CommandContext): AsyncGenerator<string, undefined> {
  let before = "";
  for await (const line of context.readLines(MOST_LINE_BYTES)) {
    if (line.endsWith("\\")) {
      before += `${line.slice(0, -1)}\n`;
      if (before.length > MOST_LINE_BYTES) {
        throw usageError("a message is too long: put it in a file");
      }
      continue;
    }
    yield before + line;
    before = "";
  }
  if (before !== "") yield before;
  return undefined;
}

/** What the agent does, without what is clear in a conversation: that a run begins and is done. */
async function talkListener(context: CommandContext): Promise<Listener> {
  const { json, output, input } = context;
  const { createPrinter, jsonLineOf, waitingText } = await import("#internal/agent/mod.ts");
  const printer = createPrinter();
  let told = "";
  return (event) => {
    if (json) return output.stdout.write(`${jsonLineOf(event)}\n`);
    const isNew = event.type === "session" && event.session !== told;
    if (isNew) told = event.session;
    for (const line of printer.push(event)) {
      if (line.role !== "session" || isNew) printLine(context, line);
    }
    if (event.type !== "waiting") return;
    output.line(`waiting for you: ${waitingText(event)}`);
    for (const line of event.says?.split("\n") ?? []) output.line(`  ${line}`);
    const answers = input.isTty ? numberedAnswers(event) : ["/approve   /decline <why>"];
    for (const line of answers) output.line(`  ${line}`);
  };
}

/** What a message was answered, where the agent's own words do not say it. */
function show({ output, json }: CommandContext, reply: ChatReply): void {
  if (json) {
    const { end: _end, ...shown } = reply;
    return output.jsonLine({ event: "reply", ...shown });
  }
  if (reply.end !== undefined || reply.refused === "dropped") return;
  if (reply.refused !== undefined) return output.error(reply.said);
  for (const line of [...reply.said.split("\n"), ...reply.details]) output.line(line);
}
