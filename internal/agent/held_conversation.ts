/** A conversation with the session that it holds: what is said, decided and gone on with. */
import { createRedactor } from "#internal/core/mod.ts";
import type { Redactor } from "#internal/core/mod.ts";
import type { EventDraft, SessionLease } from "#internal/store/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import { LEASE_MS } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import { answerValue } from "./answer_form.ts";
import type { OpenCapabilities } from "./capabilities/mod.ts";
import { openCapabilities } from "./capabilities/mod.ts";
import { compact } from "./compact.ts";
import type { Shortened } from "./compact.ts";
import type { Decision, PersonMessage, RunEnd } from "./conversation.ts";
import { decidedCall, decisionDrafts, standingDraft } from "./decide.ts";
import { AgentError } from "./errors.ts";
import {
  answerForgotten,
  choicesMade,
  eventKinds,
  messageForgotten,
  personSaid,
  standingWithdrawn,
  titleGiven,
} from "./events/mod.ts";
import { lastingCalls, lastMessage } from "./forget.ts";
import type { AnyEventKind } from "./events/mod.ts";
import { beforeFolder, journalRoot } from "./file_history.ts";
import { driveWithHooks } from "./hooked_run.ts";
import { openHooks } from "./hooks/mod.ts";
import { instructionsFor } from "./instructions.ts";
import { outputsFolder } from "./kept_output.ts";
import type { AgentMachine, FoundAgent } from "./machine.ts";
import type { Model } from "./models/mod.ts";
import { modelProviders, openModel } from "./models/mod.ts";
import { keptDigests, sentFiles } from "./pictures.ts";
import { policySteps } from "./policy/mod.ts";
import { broughtDrafts } from "./pre_approvals.ts";
import type { Recorder } from "./recorder.ts";
import type { Rewound } from "./rewind.ts";
import { rewind } from "./rewind.ts";
import { recoverCalls } from "./recovery.ts";
import { takeFiles } from "./sent_files.ts";
import type { CallState, Choices, SessionSettings, SessionState } from "./state.ts";
import { emptyState, openCalls, saidInRun, sentInRun, sessionHas, waitingCall } from "./state.ts";
import { waitingEvent } from "./waiting.ts";
import type { AgentTool } from "./tools/mod.ts";
import { agentTools, inputSchemaOf } from "./tools/mod.ts";
import type { Workspace } from "./workspace.ts";
import { openWorkspace } from "./workspace.ts";
import { checkWorkspace } from "./workspace_check.ts";

/** A conversation: one session held by this process until it is closed. */
export interface Conversation extends AsyncDisposable {
  readonly session: string;
  /** The state of the session, for looking. */
  readonly state: SessionState;
  /**
   * Says something and hears the answer out, through the listener.
   * @throws {AgentError} `waits` when a call waits for a decision first.
   */
  say(message: PersonMessage, signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Decides the call that waits, and goes on.
   * @throws {AgentError} `not-waiting` when none waits, or another than the request named; `rule` when
   * an approval cannot hold for the session, and nothing is decided then.
   */
  decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Goes on where the session stands: after a crash, a stop, or not at all when it is done.
   * @throws {AgentError} `nothing-said` when there is nothing to answer.
   */
  resume(signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Forgets the last message and its answer. @returns the calls whose effects stay
   * @throws {AgentError} `nothing-said` when there is nothing to forget
   */
  undo(who: string): Promise<readonly CallState[]>;
  /**
   * Forgets the last messages with their answers, and puts the files back that the session's own
   * tools changed since. Commands' changes, payments and the journal stay.
   * @throws {AgentError} `nothing-said` when there are not so many to forget
   */
  rewind(count: number, who: string): Promise<Rewound>;
  /** Forgets the last answer and answers anew. @throws {AgentError} `nothing-said` */
  retry(who: string, signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Puts a summary in the place of the conversation's start.
   * @returns what that came to, or nothing when there was nothing to shorten
   */
  compact(signal?: AbortSignal): Promise<Shortened | undefined>;
  /** Names the session. */
  name(title: string, who: string): Promise<void>;
  /** Has the session go by what its chat chose, from the next turn on. */
  choose(choices: Choices, who: string): Promise<void>;
  /** Withdraws what persons allowed for the rest of the session. */
  withdraw(who: string): void;
  /** The names of the tools that the session has, whatever its chat left of them. */
  toolNames(): Promise<readonly string[]>;
  /** Lets others hold the session until it is needed again; what is open stays open. */
  rest(): void;
  /** Holds the session again, as others left it. What needs it does that by itself. */
  wake(): void;
  /** Brings `state` up to what others wrote during a rest, without holding the session. */
  look(): void;
}

/** The models and the ledger of a session. */
export interface SessionParts {
  readonly models: readonly Model[];
  readonly found: FoundAgent;
}

/** Where the machine sets no limit, ms. */
const CALL_LIMIT_MS = 120_000;

/** The one kind of conversation. Whoever makes it hands over the lease. */
export class HeldConversation implements Conversation {
  readonly #machine: AgentMachine;
  #lease: SessionLease | undefined;
  readonly #recorder: Recorder;
  readonly #settings: SessionSettings;
  #renewal: ReturnType<typeof setInterval> | undefined;
  /** Aborted when the session is lost to another process. */
  #held = new AbortController();
  /** Opened at first use. */
  #parts: SessionParts | undefined;
  /** Opened at first use, closed with the conversation. */
  #capabilities: OpenCapabilities | undefined;
  /** What was said while it was opened, to be told behind the session's name. */
  #early: string[] | undefined;

  constructor(
    machine: AgentMachine,
    lease: SessionLease,
    recorder: Recorder,
    settings: SessionSettings,
    parts: SessionParts | undefined,
  ) {
    this.#machine = machine;
    this.#recorder = recorder;
    this.#settings = settings;
    this.#parts = parts;
    this.#hold(lease);
  }

  get session(): string {
    return this.#recorder.state.session;
  }

  get state(): SessionState {
    return this.#recorder.state;
  }

  async say(message: PersonMessage, signal?: AbortSignal): Promise<RunEnd> {
    saidDraft(message);
    this.wake();
    const waiting = waitingCall(this.state);
    if (waiting !== undefined) {
      throw new AgentError(
        "waits",
        `session ${this.session} waits for a decision on request ${waiting.request} first: ` +
          "give --approve or --decline <why>",
      );
    }
    const active = await this.#activate(signal);
    this.#tellSession();
    // A run that was cut off is brought to a state in which something can be said after it.
    if (openCalls(this.state).length > 0) {
      const end = await driveWithHooks(active);
      if (end.how !== "done") return end;
    }
    const taken = await takeFiles(message, { ...this.#machine, workspace: active.workspace });
    // By what is kept now: others, or the calls before, may have brought pictures.
    this.#recorder.append([saidDraft(taken, this.state)]);
    return await driveWithHooks(active);
  }

  async decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd> {
    this.wake();
    const waiting = decidedCall(this.state, decision);
    const active = await this.#activate(signal);
    const standing = decision.approve && decision.always !== undefined
      ? [standingDraft(active, waiting, decision)]
      : [];
    this.#tellSession();
    this.#recorder.append([...standing, ...decisionDrafts(waiting, decision)]);
    return await driveWithHooks(active);
  }

  async resume(signal?: AbortSignal): Promise<RunEnd> {
    this.wake();
    const { state, session } = this;
    const waiting = waitingEvent(state);
    if (waiting !== undefined) {
      this.#recorder.tell(waiting);
      const { request } = waiting;
      return { how: "waiting", session, request };
    }
    if (state.said.length === 0) {
      throw new AgentError(
        "nothing-said",
        `nothing was said in session ${session} yet: give --say with what is to be done`,
      );
    }
    if (state.ended?.how === "done") {
      const said = saidInRun(state);
      const value = answerValue(state);
      const form = value === undefined ? {} : { value };
      this.#recorder.tell({ type: "done", session, said, files: sentInRun(state), ...form });
      return { how: "done", session, said };
    }
    const active = await this.#activate(signal);
    this.#tellSession();
    return await driveWithHooks(active);
  }

  async undo(who: string): Promise<readonly CallState[]> {
    this.wake();
    await this.#settle();
    const { at } = this.#lastMessage();
    const lasting = lastingCalls(this.state, at);
    this.#recorder.append([messageForgotten.draft({ who })]);
    return lasting;
  }

  async rewind(count: number, who: string): Promise<Rewound> {
    this.wake();
    this.#lastMessage();
    await this.#settle();
    return await rewind(await this.#activate(undefined), count, who);
  }

  async retry(who: string, signal?: AbortSignal): Promise<RunEnd> {
    this.wake();
    this.#lastMessage();
    await this.#settle();
    const active = await this.#activate(signal);
    this.#tellSession();
    this.#recorder.append([answerForgotten.draft({ who })]);
    return await driveWithHooks(active);
  }

  async compact(signal?: AbortSignal): Promise<Shortened | undefined> {
    this.wake();
    const active = await this.#activate(signal);
    this.#tellEarly();
    return await compact(active, "asked");
  }

  async name(title: string, who: string): Promise<void> {
    this.wake();
    await this.#redact();
    this.#recorder.append([titleGiven.draft({ title, who })]);
  }

  async choose(choices: Choices, who: string): Promise<void> {
    this.wake();
    await this.#redact();
    this.#recorder.append([choicesMade.draft({ choices, who })]);
  }

  withdraw(who: string): void {
    this.wake();
    this.#recorder.append([standingWithdrawn.draft({ who })]);
  }

  async toolNames(): Promise<readonly string[]> {
    this.wake();
    return (await this.#offered()).map(({ name }) => name).sort();
  }

  rest(): void {
    clearInterval(this.#renewal);
    this.#lease?.release();
    this.#lease = undefined;
  }

  look(): void {
    if (this.#lease !== undefined) return;
    this.#recorder.see(this.#machine.sessions.read(this.session, this.state.lastSeq));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#capabilities?.[Symbol.asyncDispose]();
    } finally {
      this.rest();
    }
  }

  #hold(lease: SessionLease): void {
    this.#lease = lease;
    if (this.#held.signal.aborted) this.#held = new AbortController();
    this.#renewal = setInterval(() => this.#renew(), LEASE_MS / 3);
    this.#renewal.unref();
  }

  wake(): void {
    if (this.#lease !== undefined) return;
    const lease = this.#machine.sessions.acquire(this.session);
    try {
      this.#recorder.goOn(lease);
      refuseNewer(this.state, this.#machine.kinds);
    } catch (error) {
      lease.release();
      throw error;
    }
    this.#hold(lease);
  }

  /** Ends the calls that were cut off, so that they can be forgotten. Makes none anew. */
  async #settle(): Promise<void> {
    if (openCalls(this.state).every(({ started }) => started === undefined)) return;
    const active = await this.#activate(undefined);
    this.#tellEarly();
    await recoverCalls(active, false);
  }

  #lastMessage(): { readonly at: number } {
    const last = lastMessage(this.state);
    if (last !== undefined) return last;
    const isCut = this.state.entries.some((entry) => "said" in entry);
    throw new AgentError(
      "nothing-said",
      isCut
        ? "the start of the last answer stands in a summary, which cannot be taken back"
        : `nothing that was said in session ${this.session} is left to take back`,
    );
  }

  #tellSession(): void {
    this.#recorder.tell({
      type: "session",
      session: this.session,
      agent: this.#settings.agent,
    });
    this.#tellEarly();
  }

  #tellEarly(): void {
    for (const text of this.#early ?? []) this.#recorder.tell({ type: "notice", text });
    this.#early = undefined;
  }

  #notice(text: string): void {
    if (this.#early === undefined) this.#recorder.tell({ type: "notice", text });
    else this.#early.push(text);
  }

  #renew(): void {
    try {
      this.#lease?.renew();
    } catch (error) {
      clearInterval(this.#renewal);
      this.#lease = undefined;
      this.#held.abort(error);
    }
  }

  async #activate(signal: AbortSignal | undefined): Promise<ActiveSession> {
    const machine = this.#machine;
    const redactor = await this.#redact();
    const { models, found } = this.#parts ??= await this.#openParts();
    const { workspace: folder } = this.#settings;
    let workspace: Workspace | undefined;
    if (folder !== undefined) {
      await checkWorkspace({ ...machine, folder });
      const { workerEntry } = this.#machine;
      workspace = await openWorkspace(folder, workerEntry === undefined ? {} : { workerEntry });
    }
    const { choices } = this.state;
    this.#early ??= [];
    const { services, instructions, rules } = this.#capabilities ??= await this
      .#openCapabilities();
    const brought = broughtDrafts(this.state, rules);
    if (brought.length > 0) this.#recorder.append(brought);
    const offered = (await this.#offered()).filter(({ name }) =>
      choices.tools?.includes(name) ?? true
    );
    const held = this.#held.signal;
    const ends = signal === undefined ? held : AbortSignal.any([signal, held]);
    return {
      recorder: this.#recorder,
      models: chosenFirst(models, choices.model),
      instructions: instructionsFor(this.#settings, instructions, choices.system),
      tools: new Map(offered.map((tool) => [tool.name, tool])),
      schemas: new Map(offered.map((tool) => [tool.name, inputSchemaOf(tool)])),
      steps: machine.steps ?? policySteps,
      hooks: await (machine.openHooks ?? openHooks)({
        ...machine,
        session: this.session,
        signal: ends,
        notice: (text) => this.#notice(text),
        ...(folder === undefined ? {} : { workspace: folder }),
      }),
      ledger: found.ledger,
      ...(machine.budgets === undefined ? {} : { budgets: machine.budgets }),
      ...(workspace === undefined ? {} : { workspace }),
      services,
      outputsFolder: outputsFolder(machine.home, this.session),
      beforeFolder: beforeFolder(machine.home, journalRoot.of(this.state)),
      showChanges: machine.showChanges === true,
      redactor,
      clock: machine.clock,
      signal: ends,
      callLimitMs: machine.callLimitMs ?? CALL_LIMIT_MS,
      ...(machine.silenceLimitMs === undefined ? {} : { silenceLimitMs: machine.silenceLimitMs }),
      pause: machine.pause ?? sleep,
      random: machine.random,
    };
  }

  /** Cuts out the secrets that are kept now of all that follows. */
  async #redact(): Promise<Redactor> {
    const redactor = await this.#machine.secrets?.redactor() ?? createRedactor([]);
    this.#recorder.redactWith(redactor);
    return redactor;
  }

  async #offered(): Promise<AgentTool[]> {
    const { services } = this.#capabilities ??= await this.#openCapabilities();
    const has = (need: string): boolean => sessionHas(this.#settings, need);
    return (this.#machine.tools ?? agentTools).filter((tool) =>
      (tool.needs?.every(has) ?? true) && (tool.offered?.(services) ?? true)
    );
  }

  #openCapabilities(): Promise<OpenCapabilities> {
    const { capabilities = {}, workspace } = this.#settings;
    return openCapabilities(
      capabilities,
      {
        ...this.#machine,
        session: this.session,
        notice: (text) => this.#notice(text),
        ...(workspace === undefined ? {} : { workspace }),
      },
      this.#machine.capabilities,
    );
  }

  async #openParts(): Promise<SessionParts> {
    const { models: names, agent, wallet, node, chain } = this.#settings;
    const providers = this.#machine.providers ?? modelProviders;
    const [models, found] = await Promise.all([
      Promise.all(names.map((name) => openModel(name, this.#machine, providers))),
      this.#machine.findAgent({
        agent,
        wallet,
        ...(node === undefined ? {} : { node }),
        ...(chain === undefined ? {} : { chain }),
      }),
    ]);
    return { models, found };
  }
}

/**
 * What is kept of a person's message.
 * @param state what is kept of the session's pictures goes by it. @default a new session
 * @throws {AgentError} `nothing-said` when the message is empty
 */
export function saidDraft(
  { text, files: given = [], who, mayDecide, origin, id }: PersonMessage,
  state: SessionState = emptyState(""),
): EventDraft {
  const { files, bytes } = sentFiles(given);
  if (text.trim() === "" && files.length === 0) {
    throw new AgentError("nothing-said", "the message is empty: say what is to be done");
  }
  const whose = origin === undefined ? {} : { origin };
  const named = id === undefined ? {} : { id };
  const draft = personSaid.draft({ text, files, who, mayDecide, ...whose, ...named });
  if (bytes.length === 0) return draft;
  const said = state.said.length;
  const placed = files.flatMap(({ digest, mediaType, size = 0 }) =>
    digest === undefined ? [] : [{ digest, mediaType, size, said }]
  );
  return { ...draft, pictures: { add: bytes, keep: keptDigests(state, placed) } };
}

/** The models with the chosen one before the others, which are asked when it fails. */
function chosenFirst(models: readonly Model[], chosen: string | undefined): readonly Model[] {
  const first = models.filter(({ name }) => name === chosen);
  return [...first, ...models.filter(({ name }) => name !== chosen)];
}

/**
 * Going on without understanding an event could pay twice; looking is always possible.
 * @throws {AgentError} `session-newer`
 */
export function refuseNewer(
  state: SessionState,
  kinds: readonly AnyEventKind[] = eventKinds,
): void {
  const versions = new Map(kinds.map(({ kind, v }) => [kind, v]));
  const newer = state.passedOver.find(({ kind, v }) => v > (versions.get(kind) ?? Infinity));
  if (newer === undefined) return;
  throw new AgentError(
    "session-newer",
    `session ${state.session} was written to by a newer sion (${newer.kind} ${newer.v}): ` +
      "update sion",
  );
}
