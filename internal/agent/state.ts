/**
 * What a session's log says so far: the state that the loop goes on from, and that everything shown
 * of a session is computed from. It is only ever made by folding the log (`fold.ts`).
 */
import type { JsonValue } from "#internal/core/mod.ts";
import type { CapabilitySettings } from "./capability_settings.ts";
import type { PlacedPicture, SentFile, WordsOrigin } from "./conversation.ts";

/** How far an agent may go on its own, 0 to 6; `policy/level.ts` has the table. */
export type Autonomy = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** What a session was opened with and keeps for its life. */
export interface SessionSettings {
  /** The agent's identity, 64 hex digits. */
  readonly agent: string;
  /** The wallet that holds its key. */
  readonly wallet: string;
  readonly autonomy: Autonomy;
  /** Models in order of preference, as `script:/path/turns.json`. */
  readonly models: readonly string[];
  /** The folder its file tools work in, absolute. */
  readonly workspace?: string;
  /** What else it has. @default nothing */
  readonly capabilities?: CapabilitySettings;
  /** Address of the node. */
  readonly node?: string;
  /** Chain identity it insists on. */
  readonly chain?: string;
  readonly limits: RunLimits;
  /** Names of the budgets that its models draw on, besides everyone's. @default none */
  readonly budgets?: readonly string[];
}

/** The bounds of one run (from a person's message to the end of the answer). */
export interface RunLimits {
  /** Turns of the model; a run that stopped for this has them anew when it is continued. */
  readonly steps: number;
  /** Tokens in and out together, where the model counts them; 0 is no bound. */
  readonly tokens: number;
  /** Wall clock, ms. */
  readonly wallMs: number;
  /** What the models may cost, micro-USD, where prices are known; 0 is no bound. @default 0 */
  readonly usdMicro?: bigint;
}

/** Bounds of a run where nobody set any. */
export const DEFAULT_LIMITS: RunLimits = { steps: 100, tokens: 0, wallMs: 3_600_000 };

/** What a person said. Each begins a run. */
export interface SaidState {
  readonly seq: number;
  readonly atMs: number;
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly who: string;
  readonly mayDecide: boolean;
  /** Whose words they are when they are not the person's own. */
  readonly origin?: WordsOrigin;
  /** The channel's name of it. */
  readonly id?: string;
  /** Set once the hooks of its run's beginning have run, with what they added for the model. */
  begun?: true;
  added?: string;
  /** It is sion's own word about the answer, within the run of the message before. */
  readonly check?: true;
  /** They took it back: it names nothing any more. */
  readonly forgotten?: true;
}

/** Why a model's turn ended. Calls of a turn that was cut (`length`, `cut`) are never made. */
export type StopReason = "end" | "length" | "cut";

/** One turn of the model. */
export interface TurnState {
  readonly seq: number;
  readonly atMs: number;
  /** From 1, over the session's whole life. */
  readonly number: number;
  readonly run: number;
  readonly model: string;
  readonly text: string;
  /** Ids of its calls, in order. */
  readonly calls: readonly string[];
  readonly stop: StopReason;
  readonly usage: KeptUsage;
  /** What the provider wants back with this turn (signed reasoning), untouched. */
  readonly opaque?: JsonValue;
}

/** What a policy made of a call. */
export type Verdict = "run" | "ask" | "refuse";

/** What is known of what a call did. `none`: certainly nothing; `uncertain`: maybe something. */
export type CallEffect = "done" | "none" | "uncertain";

/** How a call ended, as far as is known. */
export interface CallEnd {
  readonly atMs: number;
  readonly ok: boolean;
  readonly effect: CallEffect;
  /** What the model is told. */
  readonly text: string;
  /** Stable, for programs, of a failure. */
  readonly code?: string;
  /** What the result is known again by. */
  readonly digest?: string;
  /** Files of the workspace that go to the person after the answer. */
  readonly sends?: readonly string[];
}

/** A piece of content from outside. It taints the session from then on. */
export interface OutsideContent {
  /** Where it is from, as its tool says: an address, a server, a sender. */
  readonly from: string;
  readonly atMs: number;
  /** Place in the log of the event that it came with. */
  readonly seq: number;
  /** The call whose result it is; missing when it came in otherwise. */
  readonly call?: string;
  readonly text: string;
}

/** A value of a call that stands in content from outside. */
export interface DerivedValue {
  /** Where in the input, as in `to` or `participants.0`. */
  readonly argument: string;
  readonly from: string;
  /** The call that brought it; missing when it came in otherwise. */
  readonly call?: string;
  /** The value itself, or the piece of it that comes from there, cut. */
  readonly value: string;
  /** Whether it is all of the value. */
  readonly whole: boolean;
}

/** Content from outside that the model was not shown. */
export interface HeldContent {
  /** The call that brought it, by which it is named. */
  readonly id: string;
  /** Where it is from. */
  readonly from: string;
  readonly text: string;
}

/** A rule of calls that nobody needs to be asked about; `standing.ts` reads and writes them. */
export interface CallRule {
  readonly tool: string;
  /** The main argument or all of the input as JSON, or the beginning of the main argument. */
  readonly text: string;
  readonly prefix: boolean;
}

/** Something confidential that the model was shown. */
export interface ConfidentialRead {
  /** A file of the workspace, or in words what else it was. */
  readonly what: string;
  readonly atMs: number;
  readonly call: string;
}

/** One call and all that happened to it. */
export interface CallState {
  /** Unique in the session: turn and place in it, as in `3.1`. */
  readonly id: string;
  readonly turn: number;
  readonly run: number;
  readonly tool: string;
  /** The input as the model gave it; missing when it was not a JSON object. */
  readonly input?: JsonValue;
  /** What was wrong with the input's text, if it was not a JSON object. */
  readonly unreadable?: string;
  /** The provider's own name of the call. */
  readonly providerId?: string;
  /** The call whose program made this one; missing for the model's own. */
  readonly by?: string;
  /** Ids of the calls that its program made, in order; only of one that runs a program. */
  programCalls?: string[];
  judged?: {
    readonly atMs: number;
    readonly verdict: Verdict;
    readonly why: string;
    /** The policy step that decided. */
    readonly step: string;
    readonly effect: string;
    /** Set when a person is asked: 8 hex digits. */
    readonly request?: string;
    /** What they are shown besides the call: what it does, and how files would change. */
    readonly says?: string;
    readonly diff?: string;
    /** The rule that approving it always would give; missing where none may be given. */
    readonly rule?: string;
    /** The person's words that it takes up: each names one payment. */
    readonly grants?: readonly string[];
    /** Which of its values come from outside. */
    readonly derived?: readonly DerivedValue[];
  };
  decided?: {
    readonly atMs: number;
    readonly approve: boolean;
    readonly who: string;
    readonly why?: string;
  };
  started?: { readonly atMs: number; readonly key?: string };
  /** Facts that were kept while it ran, in order: what it is about to send and under which name. */
  readonly notes: { readonly [name: string]: JsonValue }[];
  ended?: CallEnd;
  /** What became known of it after the model was told. */
  learned?: CallEnd;
}

/** How a run ended, if it did. */
export interface EndState {
  readonly atMs: number;
  readonly how: "done" | "stopped";
  readonly code?: string;
  readonly message?: string;
}

/** What a chat chose for its sessions. A missing one is as the session was opened. */
export interface Choices {
  /** The model asked first, by its full name. */
  readonly model?: string;
  /** What the chat asks of the agent, after its operator's instructions. */
  readonly system?: string;
  /** The only tools it may use of those it has. */
  readonly tools?: readonly string[];
}

/** Something the model is shown: places in `said`, `turns` and `summaries`. */
export type Entry =
  /** `cut`: the start of its answer is in the summary before it. */
  | { readonly said: number; readonly cut?: true }
  | { readonly turn: number }
  | { readonly summary: number };

/** What one request to a model took. */
export interface KeptUsage {
  /** Tokens given, those from a cache among them. */
  readonly input: number;
  readonly output: number;
  /** True when they were counted here and not by the provider. */
  readonly estimated: boolean;
  /** Of `input`: read from the provider's cache. */
  readonly cached?: number;
  /** Of `input`: written to it. */
  readonly cacheWritten?: number;
  /** Micro-USD, as the prices were then; missing where they are not known. */
  readonly costMicro?: bigint;
}

/** What a session's requests to models took in all. */
export interface UsageState {
  /** Tokens; of them, those that a provider's cache gave or took. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWritten: number;
  /** Tokens, in and out, that the provider did not count and that were estimated. */
  readonly estimated: number;
  /** Micro-USD of what has a known price. */
  readonly costMicro: bigint;
  /** Tokens, in and out, whose price is not known: the cost is more by theirs. */
  readonly unpriced: number;
}

/** What a run has used of its limits. */
export interface BudgetState {
  /** The place in the log that it counts from: tells a session's runs apart. */
  readonly from: number;
  /** How many turns there were before. */
  readonly turns: number;
  readonly tokens: number;
  readonly costMicro: bigint;
  readonly unpriced: number;
}

/** A session as its log tells it. */
export interface SessionState {
  readonly session: string;
  lastSeq: number;
  /** What a person named it; empty when nobody did. */
  title: string;
  /** What the chat it is in chose. */
  choices: Choices;
  settings?: SessionSettings;
  readonly said: SaidState[];
  readonly turns: TurnState[];
  /** In the order they were proposed. */
  readonly calls: Map<string, CallState>;
  /** What the model is shown, in order; what was forgotten is not among it. */
  readonly entries: Entry[];
  /** What stands in the place of what was shown before. */
  readonly summaries: string[];
  /** How the last run ended; missing while it goes on or waits. */
  ended?: EndState;
  usage: UsageState;
  /**
   * What the limits of a run count from: how many turns there were when it began or last stopped,
   * and what was used since.
   */
  budget: BudgetState;
  /** What brought content from outside into the session, each source once. */
  readonly outside: string[];
  /** The content from outside, in the order it came. While there is any, the session is tainted. */
  readonly brought: OutsideContent[];
  /** What confidential things the model was shown, in order. */
  readonly confidential: ConfidentialRead[];
  /** What is held in quarantine, by the calls that brought it. */
  readonly held: Map<string, HeldContent>;
  /** Files that hold content out of quarantine since a call wrote them; `**` is any. */
  readonly outsideFiles: Set<string>;
  /** How often a reader was asked. */
  readings: number;
  /** What persons allowed for the rest of the session, in order. */
  readonly standing: { readonly rule: CallRule; readonly who: string; readonly atMs: number }[];
  /** What skills and profiles bring, by whose it is. */
  readonly preApproved: { readonly rule: CallRule; readonly from: string }[];
  /** Addresses that results offered to be read, as `plainAddress` writes them. */
  readonly offers: Set<string>;
  /** Models that failed since the run began or last stopped, with why. */
  readonly failures: { readonly model: string; readonly message: string }[];
  /** Pictures that a person sent or a result held, in order. */
  readonly pictures: PlacedPicture[];
  /** State of event kinds that other parts add, by kind. */
  readonly extra: Map<string, unknown>;
  /** Events this version does not know, passed over. */
  readonly passedOver: { readonly seq: number; readonly kind: string; readonly v: number }[];
}

/** Whether a session was opened with something that tools can need. */
export function sessionHas(settings: SessionSettings | undefined, need: string): boolean {
  if (need === "workspace") return settings?.workspace !== undefined;
  return settings?.capabilities !== undefined && Object.hasOwn(settings.capabilities, need);
}

/** The state before the first event. */
export function emptyState(session: string): SessionState {
  return {
    session,
    lastSeq: 0,
    title: "",
    choices: {},
    said: [],
    turns: [],
    calls: new Map(),
    entries: [],
    summaries: [],
    usage: {
      input: 0,
      output: 0,
      cached: 0,
      cacheWritten: 0,
      estimated: 0,
      costMicro: 0n,
      unpriced: 0,
    },
    budget: { from: 0, turns: 0, tokens: 0, costMicro: 0n, unpriced: 0 },
    outside: [],
    brought: [],
    confidential: [],
    held: new Map(),
    outsideFiles: new Set(),
    readings: 0,
    standing: [],
    preApproved: [],
    offers: new Set(),
    failures: [],
    pictures: [],
    extra: new Map(),
    passedOver: [],
  };
}

/** The budget of a run that begins, or goes on after it stopped. */
export function freshBudget(state: SessionState): BudgetState {
  const turns = state.turns.length;
  return { from: state.lastSeq, turns, tokens: 0, costMicro: 0n, unpriced: 0 };
}

/** The number of the run that goes on, from 1: a person's message begins each. */
export function runNumber(state: SessionState): number {
  return state.said.length;
}

/** The calls of the last turn that have not ended, in order. */
export function openCalls(state: SessionState): CallState[] {
  const turn = state.turns.at(-1);
  if (turn === undefined) return [];
  return turn.calls.map((id) => callOf(state, id)).filter((call) => call.ended === undefined);
}

/** The calls of a call's program that have not ended, in order. */
export function openProgramCalls(state: SessionState, call: CallState): CallState[] {
  return (call.programCalls ?? []).map((id) => callOf(state, id))
    .filter((one) => one.ended === undefined);
}

/** The call that waits for a person, if one does. */
export function waitingCall(
  state: SessionState,
): (CallState & { readonly request: string }) | undefined {
  for (const call of openCalls(state)) {
    const request = call.judged?.request;
    if (call.judged?.verdict === "ask" && request !== undefined && call.decided === undefined) {
      return { ...call, request };
    }
  }
  return undefined;
}

/** A call by its id. @throws {RangeError} when there is none, which only a damaged log can cause. */
export function callOf(state: SessionState, id: string): CallState {
  const call = state.calls.get(id);
  if (call === undefined) {
    throw new RangeError(`Cannot read session ${state.session}: it has no call ${id}`);
  }
  return call;
}

/** All that the agent said to the last message that is not forgotten, a paragraph an answer. */
export function saidInRun(state: SessionState): string {
  const texts: string[] = [];
  for (const entry of state.entries.toReversed()) {
    if ("said" in entry) break;
    const text = "turn" in entry ? state.turns[entry.turn]?.text ?? "" : "";
    if (text !== "") texts.push(text);
  }
  return texts.toReversed().join("\n\n");
}

/** The files that go to the person after that answer, each once, in the order they were shared. */
export function sentInRun(state: SessionState): readonly string[] {
  // What was asked again for its form is the same answer.
  const last = state.entries.findLastIndex((entry) =>
    "said" in entry && state.said[entry.said]?.check !== true
  );
  const calls = state.entries.slice(last + 1).flatMap((entry) =>
    "turn" in entry ? state.turns[entry.turn]?.calls ?? [] : []
  );
  return [...new Set(calls.flatMap((id) => callOf(state, id).ended?.sends ?? []))];
}

/** The person's last words that are not forgotten, and what the agent said to them; if there are any. */
export function lastExchange(
  state: SessionState,
): { readonly text: string; readonly answer: string } | undefined {
  const said = state.entries.flatMap((entry) => "said" in entry ? state.said[entry.said] ?? [] : [])
    .findLast(({ origin }) => origin === undefined);
  return said === undefined ? undefined : { text: said.text, answer: saidInRun(state) };
}

/** What is known of a call's end now. */
export function latestEnd(call: CallState): CallEnd | undefined {
  return call.learned ?? call.ended;
}
