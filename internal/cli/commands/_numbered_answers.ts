/** Answers to a question in plain lines: a number at its beginning, so that nothing needs to be spelled out. */
import type { ConversationEvent } from "#internal/agent/mod.ts";

/** A question as it is put. */
export type Asked = Extract<ConversationEvent, { type: "waiting" }>;

/** The answers that a question takes, a line each. */
export function numberedAnswers({ rule }: Asked): readonly string[] {
  return [
    "1        make this call, once",
    "2 <why>  do not make it; the agent is told why",
    ...(rule === undefined ? [] : [`3        make it, and ${rule} without asking from now on`]),
  ];
}

/** The command that a line means while a call waits; the line itself where it is no number, or none waits. */
export function meantByNumber(line: string, asked: Asked | undefined): string {
  const [, number, why = ""] = /^\s*([123])(?:\s+(.*))?$/su.exec(line) ?? [];
  if (asked === undefined || number === undefined) return line;
  const { request, rule } = asked;
  if (number === "2") return `/decline ${request} ${why}`.trimEnd();
  // More than a number was meant as words.
  if (why.trim() !== "") return line;
  if (number === "1") return `/approve ${request}`;
  return rule === undefined ? line : `/approve ${request} always ${rule}`;
}
