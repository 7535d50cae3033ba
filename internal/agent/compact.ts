/**
 * Keeping a conversation within its model's window: when the next request would take most of it, the
 * start of what the model is shown becomes a summary, and recent turns stay whole. A turn and the
 * results of its calls are one entry, so no call is ever cut from its result.
 */
import type { ActiveSession } from "./active.ts";
import type { AskFailure } from "./asking.ts";
import { compacted } from "./events/mod.ts";
import type { CompactedWhy } from "./events/mod.ts";
import { modelView, summaryMessage, viewOf } from "./model_view.ts";
import { contextTokensOf, estimateTokens } from "./models/mod.ts";
import type { ModelMessage } from "./models/mod.ts";
import type { Entry } from "./state.ts";
import { summarize } from "./summary.ts";

/** What of the window the next request may take before the conversation is shortened. */
const FULL_SHARE = 0.8;
/** What the entries that stay whole may take of it: at the first try, and when that did not help. */
const KEPT_SHARES = [0.3, 0.05] as const;
/** What the question for a summary may take of it. */
const SUMMARY_SHARE = 0.6;
/** What is put into a summary without being asked for takes at least so much of it. */
const WORTH_SHARE = 0.1;

/** What became of a request to shorten. */
export interface Shortened {
  /** Tokens of the next request, about. */
  readonly before: number;
  readonly after: number;
}

/**
 * Shortens the conversation when the next request would take most of the window.
 * @returns why it cannot go on, when it is too long however it is shortened
 */
export async function compactIfFull(session: ActiveSession): Promise<AskFailure | undefined> {
  const window = windowOf(session);
  if (window === Infinity || nextTokens(session) <= FULL_SHARE * window) return undefined;
  const shortened = await compact(session, "window");
  const after = shortened?.after ?? nextTokens(session);
  return after <= window ? undefined : tooLong(session, after);
}

/**
 * Puts a summary in the place of the conversation's start.
 * @returns what that came to, or nothing when there is nothing to shorten
 * @throws the signal's reason when the session is stopped meanwhile
 */
export async function compact(
  session: ActiveSession,
  why: CompactedWhy,
): Promise<Shortened | undefined> {
  const { state } = session.recorder;
  // A model that refused a conversation reads less than is known of it: then it is a share of that.
  const window = why === "context" ? messageTokens(modelView(state)) : windowOf(session);
  let done: Shortened | undefined;
  for (const share of KEPT_SHARES) {
    done = await shorten(session, why, window, share) ?? done;
    // What a person asks for, and what a model refused, is done once.
    if (why !== "window" || (done?.after ?? 0) <= FULL_SHARE * window) break;
  }
  return done;
}

/** Why a conversation stays too long. It can be gone on with in another way. */
export function tooLong({ models }: ActiveSession, tokens?: number): AskFailure {
  const size = tokens === undefined ? "" : ` (about ${tokens} tokens)`;
  return {
    code: "model-context",
    message: `what is left of the conversation${size} is too long for ` +
      `${models[0]?.name ?? "the model"} however it is shortened: start a new session, or use a ` +
      "model that reads more",
  };
}

async function shorten(
  session: ActiveSession,
  why: CompactedWhy,
  window: number,
  share: number,
): Promise<Shortened | undefined> {
  const { recorder } = session;
  const { entries } = recorder.state;
  const from = keptFrom(session, share * window, why === "asked");
  // A summary of a summary alone shortens nothing.
  if (from <= (entries[0] !== undefined && "summary" in entries[0] ? 1 : 0)) return undefined;
  const before = nextTokens(session);
  const old = viewOf(recorder.state, entries.slice(0, from));
  // Else a conversation whose end is large would be shortened a little before each turn.
  if (why === "window" && messageTokens(old) < WORTH_SHARE * window) return undefined;
  const summary = await summarize(session, old, SUMMARY_SHARE * window);
  const kept = viewOf(recorder.state, entries.slice(from));
  const after = tokensOf(session, [summaryMessage(summary.text), ...kept]);
  if (after >= before && why !== "context") return undefined;
  recorder.append([
    compacted.draft({
      why,
      summary: summary.text,
      ...(summary.model === undefined ? {} : { model: summary.model }),
      ...(summary.usage === undefined ? {} : { usage: summary.usage }),
      kept: entries.length - from,
      before,
      after,
    }),
  ]);
  return { before, after };
}

/**
 * From which entry on the conversation stays whole: as far back as fits, at a person's message where
 * there is one, and the last entry in any case.
 * @param lastOnly whether no more than the last message and its answer stay
 */
function keptFrom(
  { recorder: { state } }: ActiveSession,
  keptTokens: number,
  lastOnly: boolean,
): number {
  const { entries } = state;
  let from = entries.length - 1;
  let tokens = 0;
  for (let at = from; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined || "summary" in entry) break;
    tokens += messageTokens(viewOf(state, [entry]));
    if (tokens > keptTokens) break;
    from = at;
  }
  const isMessage = (entry: Entry, at: number) => at >= from && "said" in entry;
  const message = lastOnly ? entries.findLastIndex(isMessage) : entries.findIndex(isMessage);
  return message === -1 ? Math.max(from, 0) : message;
}

/** Tokens of the next request, about: as the provider counted the last one, and what came since. */
function nextTokens(session: ActiveSession): number {
  const { state } = session.recorder;
  const at = state.entries.findLastIndex((entry) => !("said" in entry));
  const entry = state.entries[at];
  const turn = entry !== undefined && "turn" in entry ? state.turns[entry.turn] : undefined;
  if (turn === undefined || turn.usage.estimated || turn.usage.input === 0) {
    return tokensOf(session, modelView(state));
  }
  const since = viewOf(state, state.entries.slice(at)).filter(({ role }) => role !== "model");
  const { input, output } = turn.usage;
  return input + output + messageTokens(since);
}

function messageTokens(messages: readonly ModelMessage[]): number {
  return estimateTokens({ instructions: "", messages, tools: [] });
}

function tokensOf(session: ActiveSession, messages: readonly ModelMessage[]): number {
  const tools = [...session.tools.values()].map(({ name, description }) => ({
    name,
    description,
    inputSchema: session.schemas.get(name) ?? {},
  }));
  return estimateTokens({ instructions: session.instructions, messages, tools });
}

/** Tokens that the model reads which is asked first. */
function windowOf({ models }: ActiveSession): number {
  return contextTokensOf(models[0]);
}
