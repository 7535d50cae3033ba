/** The rules that a session's capabilities bring: kept in its log, so that each decision can be told from it. */
import type { EventDraft } from "#internal/store/mod.ts";
import { preApproved } from "./events/mod.ts";
import { ruleText } from "./standing.ts";
import type { SessionState } from "./state.ts";

/** The rules of one source. */
export interface Brought {
  /** For sentences: `skill count-words`. */
  readonly from: string;
  readonly rules: readonly string[];
}

/** What begins the name of a source that brings its rules anew whenever the session works. */
const RENEWED = "skill ";

/** What is to be logged so that the session goes by what is brought now. */
export function broughtDrafts(
  { preApproved: known }: SessionState,
  brought: readonly Brought[],
): readonly EventDraft[] {
  const rulesOf = (from: string): readonly string[] =>
    known.filter((one) => one.from === from).map(({ rule }) => ruleText(rule));
  const gone = [...new Set(known.map(({ from }) => from))].filter((from) =>
    from.startsWith(RENEWED) && brought.every((one) => one.from !== from)
  );
  return [
    ...gone.map((from) => preApproved.draft({ from, rules: [] })),
    ...brought.filter(({ from, rules }) => rulesOf(from).join("\n") !== rules.join("\n"))
      .map(({ from, rules }) => preApproved.draft({ from, rules })),
  ];
}
