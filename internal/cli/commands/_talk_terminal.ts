/** A conversation at a terminal, held by the same core as one in plain lines. */
import type { Chat, RunEnd, SentFile } from "#internal/agent/mod.ts";
import { messageOf } from "#internal/core/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../errors.ts";
import { filesIn, readSentFile } from "../sent_file.ts";
import { ownCommands } from "../terminal/own_lines.ts";
import { folderNotice, standingNotice } from "./_talk_greeting.ts";
import type { TalkOptions } from "./_talk_lines.ts";

/** What was said before that the arrow keys find. */
const MOST_HISTORY = 100;
/** How many sessions one can choose from. */
const MOST_CHOICES = 200;
/** Sessions in which what is typed is looked up; other conversations' are among them. */
const MOST_FOUND = 1_000;
/** How long leaving waits for what cannot be stopped, ms; a session survives not being waited for. */
const LEAVE_MS = 1_000;

/** Where what the client says of its work goes; a screen takes it over while it is shown. */
export interface Told {
  note: (text: string) => void;
  wait: (what: string | undefined) => void;
}

/** Holds the conversation until the person leaves. @returns the exit code */
export async function talkOnScreen(
  context: CommandContext,
  options: TalkOptions & { readonly told: Told },
): Promise<number> {
  const { Chat, chatCommands } = await import("#internal/agent/mod.ts");
  const { talkAtTerminal } = await import("../terminal/talk.ts");
  const { machine, place, profile, person, back, name, told } = options;
  const chat = new Chat({ machine, place, profile, whenBusy: "wait" });
  let end: RunEnd | undefined;
  const greeting = await begin(context, options, chat);
  const before = { ...told };
  try {
    await talkAtTerminal({
      chat: {
        get working() {
          return chat.working;
        },
        get session() {
          return chat.session;
        },
        state: () => chat.state(),
        stop: () => chat.stop(),
        async handle(text, paths, listener) {
          const files: SentFile[] = [];
          try {
            for (const path of paths) files.push(await readSentFile(path, context));
          } catch (error) {
            // It went away, or grew, since it was pasted.
            const session = chat.session ?? null;
            return { said: messageOf(error), session, details: [], refused: "option" };
          }
          const reply = await chat.handle({ ...person, text, files }, listener);
          end = reply.end ?? end;
          return reply;
        },
      },
      name,
      level: (profile.autonomy ?? "L2").toUpperCase(),
      stdout: context.output.stdout,
      greeting,
      filesIn: (pasted) => filesIn(pasted, context),
      history: (chat.state()?.said ?? []).slice(-MOST_HISTORY).map(({ text }) => text),
      commands: [...chatCommands.map(({ name: command }) => `/${command}`), ...ownCommands],
      files: options.files,
      async budget() {
        const { ledger } = await machine.findAgent(profile);
        return `${(await ledger.budget(context.signal)).budget_remaining_usd} USD left`;
      },
      signal: context.signal,
      hear: (screen) => Object.assign(told, screen),
    });
  } finally {
    Object.assign(told, before);
    await Promise.race([chat[Symbol.asyncDispose](), sleep(LEAVE_MS)]);
  }
  if (chat.session !== undefined) {
    context.output.note(`session ${chat.session}: kept. Go on with \`${back}\``);
  }
  return end?.how === "waiting" ? EXIT.waiting : 0;
}

const KEYS =
  "Enter sends, Alt-Enter begins a line, Ctrl-C stops, Ctrl-D leaves, / and Tab list commands";

/** Puts the conversation where it is to start. @returns what the person sees first */
async function begin(
  context: CommandContext,
  { machine, place, start, person, profile, name }: TalkOptions,
  chat: Chat,
): Promise<readonly string[]> {
  const mayDo = folderNotice(profile, name, context);
  if (start === "new") {
    const { said } = await chat.handle({ ...person, text: "/new" });
    return [said, ...mayDo, KEYS];
  }
  const chosen = start === "" ? await choose(context, { machine, place }) : start;
  if (chosen !== undefined) {
    machine.sessions.chats.enter(place, machine.sessions.resolve(chosen));
  }
  const stands = await standingNotice(chat, machine);
  return [...(stands.length === 0 ? mayDo : stands), KEYS];
}

/** Has the person choose one of the conversation's sessions; nothing goes on where it was. */
async function choose(
  { output, signal }: CommandContext,
  { machine, place }: Pick<TalkOptions, "machine" | "place">,
): Promise<string | undefined> {
  const { listedOf, minuteText, searchSessions } = await import("#internal/agent/mod.ts");
  const { sessions } = machine;
  const own = sessions.chats.sessions(place, MOST_CHOICES);
  if (own.length === 0) {
    output.note("no sessions to go on in yet: the first message starts one");
    return undefined;
  }
  const choices = own.map((id) => {
    const { session, last_ms, standing, title } = listedOf(sessions.summary(id));
    return { id, label: `${session} ${minuteText(last_ms)} ${standing}`, title };
  });
  const { pickAtTerminal } = await import("../terminal/picker.ts");
  return await pickAtTerminal(
    "Go on in which one? Arrows or a number, Enter; type to search; Esc",
    choices,
    {
      stdout: output.stdout,
      signal,
      findMore: (words) =>
        new Map(
          searchSessions(machine, words, MOST_FOUND).map(({ session, excerpt }) => [
            session,
            excerpt,
          ]),
        ),
    },
  );
}
