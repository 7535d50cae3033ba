/** docs/reference/agent-events.md: what `sion agent run --json` prints. */
import { jsonLineOf } from "#internal/agent/mod.ts";
import type { ConversationEvent } from "#internal/agent/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

type Named<T extends ConversationEvent["type"]> = Extract<ConversationEvent, { type: T }>;

/** One event: TypeScript refuses an event, or a field of one, that is not told here. */
interface Told<T extends ConversationEvent["type"]> {
  readonly about: string;
  readonly fields: { readonly [field in Exclude<keyof Named<T>, "type">]-?: string };
  readonly examples: readonly Named<T>[];
}

const SESSION = "3ffd3b1fd4d6aa36";
const INPUT = { amount: "1", purpose: "invoice 7", to: "bob" };
const WHICH = "the session's id, 16 hex digits";

const EVENTS: { readonly [T in ConversationEvent["type"]]: Told<T> } = {
  session: {
    about: "A run begins, or goes on.",
    fields: { session: WHICH, agent: "the agent's id, 64 hex digits" },
    examples: [{ type: "session", session: SESSION, agent: "d85ed254".padEnd(64, "0") }],
  },
  delta: {
    about: "Words that the agent wrote since the last such event.",
    fields: { text: "the words; all of a run's deltas joined are what it said" },
    examples: [{ type: "delta", text: "Invoice 7 is " }],
  },
  notice: {
    about: "Something about the session that a person should know.",
    fields: { text: "one line" },
    examples: [{ type: "notice", text: "asking anthropic:claude-sonnet-4-5 instead" }],
  },
  tool: {
    about: "A call of a tool: one event as it begins, others while it runs, one as it ends.",
    fields: {
      call: "its id in the session: turn and place in it",
      tool: "the tool's name",
      input: "what the model gave",
      state:
        "`calling`; `running`, with how far it is; `waiting` for a person; `ok` and `failed` " +
        "end it",
      text: "what it gave, as the model is told; missing where there is nothing to say",
      by: "who approved it; missing when nobody was asked",
    },
    examples: [
      { type: "tool", call: "1.1", tool: "ledger_pay", input: INPUT, state: "calling" },
      {
        type: "tool",
        call: "1.1",
        tool: "ledger_pay",
        input: INPUT,
        state: "ok",
        text: "Pulse 14: Done: agent paid 1 USD to bob; fee 0.0012 USD.",
        by: "cli:root",
      },
    ],
  },
  change: {
    about:
      "How a call that runs without a question changes files; only where a front end wants it.",
    fields: { call: "the call's id", diff: "a unified diff" },
    examples: [{
      type: "change",
      call: "2.1",
      diff: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-a\n+b\n",
    }],
  },
  waiting: {
    about: "The run stands until a person decides a call. Exit code 5 follows.",
    fields: {
      session: WHICH,
      request: "what a decision names, 8 hex digits",
      tool: "the tool's name",
      input: "what the model gave, whole",
      why: "why a person is asked",
      says:
        "what the call does; of a payment, on a second line, whether it was named, and what is left; " +
        "missing where the call itself says it",
      diff: "how it would change files, a unified diff; missing where it changes none",
      rule: "the rule that may be given with an approval; missing where it is approved on its own",
    },
    examples: [{
      type: "waiting",
      session: SESSION,
      request: "e415977a",
      tool: "ledger_pay",
      input: INPUT,
      why: "spending at autonomy L5",
      says: "Pay 1 USD to bob for invoice 7. Fee 0.0012 USD.\n" +
        "bob and 1 USD were named here; the charter allows bob; 85 USD left",
    }],
  },
  done: {
    about: "The run is done. Exit code 0 follows.",
    fields: {
      session: WHICH,
      said: "all that the agent said in it, a paragraph an answer",
      files: "files that the agent sent along, by path",
      value: "the answer's value, with `--output-schema` only",
    },
    examples: [
      { type: "done", session: SESSION, said: "Invoice 7 is paid.", files: [] },
      { type: "done", session: SESSION, said: '{"paid":true}', files: [], value: { paid: true } },
    ],
  },
  error: {
    about: "The run stopped before it was done; the session is kept. Exit code 7 follows, or 130.",
    fields: {
      session: WHICH,
      code: "why, for programs: the table below",
      message: "why, one sentence; printed as `error`",
    },
    examples: [{
      type: "error",
      session: SESSION,
      code: "steps",
      message: "the run has had its 100 turns",
    }],
  },
};

const STOPS: readonly (readonly [code: string, meaning: string])[] = [
  ["cancelled", "it was stopped (exit 130)"],
  [
    "steps, tokens, cost, time",
    "a limit of the run: `--max-steps`, `--max-tokens`, `--max-usd`, " +
    "`--max-minutes`",
  ],
  ["loop", "the same call gave the same result five times in a row"],
  ["model-…", "no model answers: the key, the network, the vendor, a context that is too long"],
  ["output-schema", "three answers in a row did not fit `--output-schema`"],
];

const EXITS: readonly (readonly [code: string, meaning: string, next: string])[] = [
  ["0", "done", ""],
  ["1", "an error before anything began; `{code, error}` alone is printed", "after the fix"],
  ["5", "`waiting` was the last event", "`sion agent continue <session> --approve` or `--decline`"],
  [
    "7",
    "`error` was the last event: stopped before done, all is kept",
    "`sion agent continue " +
    "<session>`",
  ],
  ["130, 143", "ended by Ctrl-C (SIGINT) or SIGTERM", "`sion agent continue <session>`"],
];

/** The reference of events. */
export const agentEventsPage: Page = {
  path: "docs/reference/agent-events.md",
  text: () =>
    Promise.resolve([
      "# Events of an agent's run",
      MADE_BY,
      "",
      "For programs that read `sion agent run --json`, `sion agent continue --json` or `sion agent talk " +
      "--json`: one compact JSON object a line, in order, `event` its type. Fields are only ever added. " +
      "`talk` prints `reply` besides when a message is answered: `said`, `session`, `details` (lines), and `refused`, a code, when nothing came of it.",
      "",
      "## How it ended",
      "",
      table(["exit", "meaning", "go on"], EXITS),
      "",
      "Codes of `error`:",
      "",
      table(["code", "meaning"], STOPS),
      ...Object.entries(EVENTS).flatMap(([name, { about, fields, examples }]) => [
        "",
        `## \`${name}\``,
        "",
        about,
        "",
        table(
          ["field", "what"],
          Object.entries(fields).map(([field, what]) => [shown(name, field), what]),
        ),
        "",
        "```json",
        ...examples.map((example) => jsonLineOf(example)),
        "```",
      ]),
      "",
    ].join("\n")),
};

function shown(event: string, field: string): string {
  return event === "error" && field === "message" ? "`error`" : `\`${field}\``;
}
