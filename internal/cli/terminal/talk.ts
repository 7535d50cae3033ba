/** A conversation at a terminal: its core, its screen, and the keys that come in, until it is left. */
import type { ChatReply, ConversationEvent, SessionState } from "#internal/agent/mod.ts";
import { lastExchange, waitingEvent } from "#internal/agent/mod.ts";
import { messageOf } from "#internal/core/mod.ts";
import { openRawTerminal } from "#internal/runtime/mod.ts";
import type { TextSink } from "../text_sink.ts";
import type { Answer, ScreenMachine } from "./chat_screen.ts";
import { ChatScreen } from "./chat_screen.ts";
import type { ChatLook } from "./chat_view.ts";
import { ChatView } from "./chat_view.ts";
import { isLeaveLine, ownHelp } from "./own_lines.ts";

/** The conversation, as far as a terminal knows it. */
export interface TalkChat {
  readonly working: boolean;
  readonly session: string | undefined;
  state(): SessionState | undefined;
  /**
   * Answers a line: a command or words. Errors that a person can mend are answers too.
   * @param files paths of what is sent along
   */
  handle(
    text: string,
    files: readonly string[],
    listener: (event: ConversationEvent) => void,
  ): Promise<ChatReply>;
  stop(): boolean;
}

/** How often the time of what goes on is shown anew, ms. */
const TICK_MS = 1_000;

/** What a conversation at a terminal needs. */
export interface TalkOptions {
  readonly chat: TalkChat;
  /** Who is talked to: a profile's or an agent's name. */
  readonly name: string;
  /** The level that its sessions begin at, as `L2`. */
  readonly level: string;
  readonly stdout: TextSink;
  /** What is shown first: a line or more. */
  readonly greeting: readonly string[];
  /** What was said before in it, for the arrow keys, oldest first. */
  readonly history: readonly string[];
  /** Its commands, with their slash. */
  readonly commands: readonly string[];
  /** The files that a pasted text names and nothing else, or why one of them cannot be sent. */
  readonly filesIn: ScreenMachine["filesIn"];
  /** Paths of files that stand in the input at the beginning. */
  readonly files: readonly string[];
  /** What is left of the agent's budget, as `85 USD left`; nothing when it cannot be told. */
  readonly budget: () => Promise<string | undefined>;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
  /** Hands over who hears what the client says of its work while the screen is shown. */
  readonly hear: (screen: {
    readonly note: (text: string) => void;
    readonly wait: (what: string | undefined) => void;
  }) => void;
}

/**
 * Runs the conversation until the person leaves. The terminal is as before when it returns.
 * @param open opens the terminal @default the process's own
 */
export async function talkAtTerminal(
  options: TalkOptions,
  open: typeof openRawTerminal = openRawTerminal,
): Promise<void> {
  const { stdout, signal } = options;
  const left = Promise.withResolvers<void>();
  const size = { columns: stdout.columns, rows: 24 };
  const talk = new Talk(options, size, left.resolve);
  using terminal = open({
    typed: (text) => talk.screen.input(text),
    resized() {
      Object.assign(size, terminal.size());
      talk.screen.resized();
    },
    ended: left.resolve,
  });
  Object.assign(size, terminal.size());
  talk.begin();
  options.hear({ note: (text) => talk.note(text), wait: (what) => talk.waitsFor(what) });
  const stop = (): void => left.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await left.promise;
  } finally {
    signal.removeEventListener("abort", stop);
    talk.close();
    stdout.write("\r");
  }
}

class Talk {
  readonly #options: TalkOptions;
  readonly #leave: () => void;
  readonly #view: ChatView;
  #budget: string | undefined;
  #waitsFor: string | undefined;
  /** What went on when the status was last shown, and since when. */
  #did: string | undefined;
  #sinceMs = 0;
  /** The lines that were not answered yet, oldest first. */
  readonly #answering: string[] = [];
  #tick: ReturnType<typeof setTimeout> | undefined;
  /** Set by a Ctrl-C that found nothing to stop; the next one leaves. */
  #leaving = false;
  /** Set once it was left: what still comes in finds neither a screen nor the session's store. */
  #closed = false;
  readonly screen: ChatScreen;

  constructor(
    options: TalkOptions,
    size: { readonly columns: number; readonly rows: number },
    leave: () => void,
  ) {
    const { stdout, history, commands } = options;
    this.#options = options;
    this.#leave = leave;
    this.#view = new ChatView(lookOf(stdout));
    this.screen = new ChatScreen(this.#view, {
      said: (text, files) => this.#said(text, files),
      decided: (answer) => this.#decided(answer),
      interrupted: () => this.#interrupted(),
      left: leave,
    }, {
      sink: {
        isTty: true,
        colour: stdout.colour,
        get columns() {
          return size.columns;
        },
        write: (text) => stdout.write(text),
      },
      rows: () => size.rows,
      nowMs: () => performance.now(),
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
      history,
      commands,
      filesIn: options.filesIn,
    });
  }

  begin(): void {
    const { chat, greeting } = this.#options;
    for (const line of greeting) this.#view.note(line);
    for (const path of this.#options.files) this.screen.attach(path);
    const state = chat.state();
    const last = state === undefined ? undefined : lastExchange(state);
    if (last !== undefined) this.#view.lastSaid(last);
    const waiting = state === undefined ? undefined : waitingEvent(state);
    if (waiting !== undefined) this.#view.hear(waiting);
    this.#showStatus();
    void this.#learnBudget();
  }

  /** Gives the terminal back. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#tick);
    this.screen.close();
  }

  /** Shows what the client says of its work. */
  note(text: string): void {
    this.#view.note(text);
    this.screen.draw();
  }

  /** Says what the client waits for, in the status line. */
  waitsFor(what: string | undefined): void {
    this.#waitsFor = what;
    this.#showStatus();
  }

  #said(text: string, files: readonly string[]): void {
    if (isLeaveLine(text)) {
      this.#leave();
      return;
    }
    this.#view.personSaid(text);
    if (this.#options.chat.working && !text.startsWith("/")) {
      this.#view.note("(told to the agent when it is done; /stop stops it)");
    }
    void this.#handle(text, files);
  }

  #decided(answer: Answer): void {
    this.#view.answered();
    const { request } = answer;
    const always = answer.approve && answer.always !== undefined ? ` always ${answer.always}` : "";
    const line = answer.approve
      ? `/approve ${request}${always}`
      : `/decline ${request} ${answer.why}`;
    void this.#handle(line);
  }

  async #handle(text: string, files: readonly string[] = []): Promise<void> {
    this.#leaving = false;
    this.#answering.push(text);
    try {
      const work = this.#options.chat.handle(text, files, (event) => {
        this.#view.hear(event);
        this.#showStatus();
      });
      this.#showStatus();
      const reply = await work;
      this.#show({ ...reply, details: [...reply.details, ...ownHelp(text)] });
    } catch (error) {
      this.#view.error(`sion failed inside, your data is kept: ${messageOf(error)}`);
    } finally {
      this.#answering.splice(this.#answering.indexOf(text), 1);
    }
    this.#showStatus();
    void this.#learnBudget();
  }

  /** What a run says was shown as it came; what a command says was not. */
  #show({ said, details, end, refused }: ChatReply): void {
    if (end !== undefined) {
      if (end.how === "stopped" && end.code === "cancelled") this.#view.note("stopped");
      return;
    }
    if (refused !== undefined && refused !== "dropped") this.#view.error(said);
    else if (said !== "") this.#view.note(said);
    for (const line of details) this.#view.note(line);
  }

  /** Once stops what goes on, twice leaves. */
  #interrupted(): void {
    const { chat } = this.#options;
    if (this.#leaving) {
      this.#leave();
      return;
    }
    this.#leaving = true;
    if (chat.stop()) this.#view.note("stopping (Ctrl-C again leaves; the session is kept)");
    else if (!this.screen.isEmpty) {
      this.screen.discard();
      this.#leaving = false;
    } else this.#view.note("Ctrl-C again, or Ctrl-D, leaves; the session is kept");
    this.screen.draw();
  }

  #showStatus(): void {
    if (this.#closed) return;
    const doing = this.#doing();
    if (doing !== this.#did) this.#sinceMs = performance.now();
    this.#did = doing;
    clearTimeout(this.#tick);
    if (doing !== undefined) this.#tick = setTimeout(() => this.#showStatus(), TICK_MS).unref();
    this.screen.setStatus(...statusParts(this.#options, this.#timed(doing), this.#budget));
  }

  /** What goes on, with how long it has, from a second on. */
  #timed(doing: string | undefined): string | undefined {
    const seconds = Math.floor((performance.now() - this.#sinceMs) / 1_000);
    return doing === undefined || seconds < 1 ? doing : `${doing} ${seconds} s`;
  }

  /** What goes on; nothing while nothing does. */
  #doing(): string | undefined {
    if (this.#waitsFor !== undefined) return `waiting for ${this.#waitsFor}`;
    const { running } = this.#view;
    if (running.length > 0) return `${running.join(", ")} …`;
    const [line] = this.#answering;
    if (this.#options.chat.working) return "writing …";
    if (line === undefined) return undefined;
    return line.startsWith("/") ? `${line.split(/\s/, 1)[0]} …` : "writing …";
  }

  async #learnBudget(): Promise<void> {
    if (this.#closed) return;
    const budget = await this.#options.budget().catch(() => undefined);
    if (budget === this.#budget) return;
    this.#budget = budget;
    this.#showStatus();
  }
}

/** Money and taint are always in view. */
function statusParts(
  { chat, name, level: first }: TalkOptions,
  doing: string | undefined,
  budget: string | undefined,
): readonly string[] {
  const state = chat.state();
  const level = state?.settings === undefined ? first : `L${state.settings.autonomy}`;
  const outside = state?.outside ?? [];
  const tokens = (state?.usage.input ?? 0) + (state?.usage.output ?? 0);
  return [
    name,
    level,
    ...(budget === undefined ? [] : [budget]),
    outside.length === 0 ? "nothing from outside" : `content from ${outside.join(", ")}`,
    ...(tokens === 0 ? [] : [`${shortNumber(tokens)} tokens`]),
    doing ?? "/help",
  ];
}

/** `12.4k`. */
function shortNumber(value: number): string {
  return value < 1_000 ? String(value) : `${(value / 1_000).toFixed(1)}k`;
}

function lookOf({ colour }: TextSink): ChatLook {
  const look = (on: number, off: number) => (text: string): string =>
    colour ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: look(1, 22),
    dim: look(2, 22),
    italic: look(3, 23),
    red: look(31, 39),
    green: look(32, 39),
  };
}
