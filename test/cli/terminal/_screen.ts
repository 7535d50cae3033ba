/** A chat on the screen of a terminal emulator, keys typed at it, and a clock that tests move. */
import xterm from "@xterm/headless";
import type { ConversationEvent } from "#internal/agent/mod.ts";
import { ChatScreen } from "../../../internal/cli/terminal/chat_screen.ts";
import type { Answer } from "../../../internal/cli/terminal/chat_screen.ts";
import { filesIn } from "../../../internal/cli/sent_file.ts";
import { ChatView } from "../../../internal/cli/terminal/chat_view.ts";

const COLOURS = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`;

/** What was asked of whoever runs the conversation, in order. */
export type Asked =
  | { readonly said: string; readonly files?: readonly string[] }
  | { readonly decided: Answer }
  | "interrupted"
  | "left";

/** A screen under test. */
export interface TestScreen {
  readonly screen: ChatScreen;
  readonly view: ChatView;
  readonly asked: Asked[];
  /** Types, as a terminal sends it, long after whatever showed last. */
  type(...texts: string[]): Promise<void>;
  hear(...events: ConversationEvent[]): Promise<void>;
  /** What the person sees, with the scrollback, without empty lines at the end. */
  text(): Promise<string>;
  /** Column and row of the cursor on the screen, from 0. */
  cursor(): Promise<readonly [column: number, row: number]>;
  /** Moves the clock. */
  wait(ms: number): void;
  resize(columns: number, rows: number): Promise<void>;
}

/** A screen of so many cells. */
export function testScreen(columns = 60, rows = 12, history: readonly string[] = []): TestScreen {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  let written: Promise<void> = Promise.resolve();
  let nowMs = 1_000_000;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  const asked: Asked[] = [];
  const view = new ChatView({
    bold: COLOURS(1, 22),
    dim: COLOURS(2, 22),
    italic: COLOURS(3, 23),
    red: COLOURS(31, 39),
    green: COLOURS(32, 39),
  });
  const screen = new ChatScreen(view, {
    said: (said, files) => asked.push({ said, ...(files.length === 0 ? {} : { files }) }),
    decided: (decided) => asked.push({ decided }),
    interrupted: () => asked.push("interrupted"),
    left: () => asked.push("left"),
  }, {
    sink: {
      isTty: true,
      colour: true,
      get columns() {
        return terminal.cols;
      },
      write(text) {
        written = new Promise((done) => terminal.write(text, done));
      },
    },
    rows: () => terminal.rows,
    commands: [],
    nowMs: () => nowMs,
    after(ms, callback) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    history,
    filesIn: (pasted) => filesIn(pasted, { cwd: "/nowhere", env: {} }),
  });
  screen.draw();

  const wait = (ms: number): void => {
    nowMs += ms;
    for (const timer of [...timers]) {
      if (timer.atMs > nowMs) continue;
      timers.delete(timer);
      timer.callback();
    }
  };
  return {
    screen,
    view,
    asked,
    wait,
    async type(...texts) {
      for (const text of texts) {
        wait(10_000);
        screen.input(text);
      }
      await written;
    },
    async hear(...events) {
      for (const event of events) view.hear(event);
      screen.draw();
      await written;
    },
    async text() {
      await written;
      const { active } = terminal.buffer;
      const lines = Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true) ?? "",
      );
      return lines.join("\n").trimEnd();
    },
    async cursor() {
      await written;
      const { cursorX, cursorY } = terminal.buffer.active;
      return [cursorX, cursorY];
    },
    async resize(toColumns, toRows) {
      terminal.resize(toColumns, toRows);
      screen.resized();
      await written;
    },
  };
}
