/** Sessions as lists show them, without reading their logs, and the search over what was said. */
import { AgentError } from "./errors.ts";
import type { SessionSummary } from "#internal/store/mod.ts";
import type { AgentMachine } from "./machine.ts";

/** What is shown of a session in a list. */
export interface ListedSession {
  readonly session: string;
  readonly agent: string;
  /**
   * `done`, `waiting` for a person, `stopped` before it was done, `running` in some process now, or
   * `open`: it was cut off, or nothing was said yet.
   */
  readonly standing: "done" | "waiting" | "stopped" | "running" | "open";
  /** What it was named, or else the first words said in it. */
  readonly title: string;
  /** The first message, at most 200 characters of it. */
  readonly task: string;
  readonly events: number;
  readonly last_ms: number;
}

/** A session in which a text was found. */
export interface FoundSession extends ListedSession {
  /** The text around the place, one line. */
  readonly excerpt: string;
}

/** The most that one list shows. */
const MOST_LISTED = 1_000;
/** Characters of a title that is made of the first words. */
const TITLE_LENGTH = 60;

/** The newest sessions. @param limit at most so many. @default 50 */
export function listSessions({ sessions }: AgentMachine, limit = 50): ListedSession[] {
  return sessions.list(Math.min(limit, MOST_LISTED)).map(listedOf);
}

/**
 * The sessions in which all words of a text were said in one message or answer, or are in the title;
 * the newest first. @param limit at most so many. @default 50
 * @throws {AgentError} `nothing-said` when the text is empty
 */
export function searchSessions(
  { sessions }: AgentMachine,
  text: string,
  limit = 50,
): FoundSession[] {
  if (text.trim() === "") {
    throw new AgentError(
      "nothing-said",
      "there is nothing to search for: give a word that was said",
    );
  }
  return sessions.search(text, Math.min(limit, MOST_LISTED)).map(({ session, excerpt }) => ({
    ...listedOf(sessions.summary(session)),
    excerpt,
  }));
}

/** What a list shows of a session. */
export function listedOf(
  { session, agent, standing, task, title, events, lastMs, held }: SessionSummary,
): ListedSession {
  const shown = standing === "open" && held ? "running" : standing;
  return {
    session,
    agent,
    standing: shown as ListedSession["standing"],
    title: title === "" ? titleOf(task) : title,
    task,
    events,
    last_ms: lastMs,
  };
}

/** A title made of the first words said: one line, cut at a word. */
function titleOf(task: string): string {
  const line = task.trim().split("\n", 1)[0]?.replaceAll(/\s+/gu, " ") ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH + 1);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > TITLE_LENGTH / 2 ? space : TITLE_LENGTH).toWellFormed()}…`;
}
