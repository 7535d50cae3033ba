/** Opening conversations: with a new session, or with one that is kept. */
import { messageOf } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { EventDraft, SessionLease } from "#internal/store/mod.ts";
import { LEASE_MS } from "#internal/store/mod.ts";
import { z } from "zod";
import type { ActiveSession } from "./active.ts";
import type { Decision, Listener, PersonMessage, RunEnd } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { callEnded, eventKinds, personDecided, personSaid, sessionOpened } from "./events/mod.ts";
import { createFolder } from "./fold.ts";
import { instructionsFor } from "./instructions.ts";
import { drive } from "./loop.ts";
import type { AgentMachine, AgentName, FoundAgent } from "./machine.ts";
import type { Model } from "./models/mod.ts";
import { canonicalModel, modelProviders, openModel } from "./models/mod.ts";
import { policySteps } from "./policy/mod.ts";
import { createRecorder } from "./recorder.ts";
import type { Recorder } from "./recorder.ts";
import type { Autonomy, RunLimits, SessionSettings, SessionState } from "./state.ts";
import { DEFAULT_LIMITS, openCalls, waitingCall } from "./state.ts";
import type { AgentTool } from "./tools/mod.ts";
import { agentTools } from "./tools/mod.ts";
import type { Workspace } from "./workspace.ts";
import { openWorkspace } from "./workspace.ts";
import { checkWorkspace } from "./workspace_check.ts";

/** What a new session is opened with. */
export interface SessionOptions extends AgentName {
  /** In order of preference; at least one. */
  readonly models: readonly string[];
  /** A folder for file tools. @default none */
  readonly workspace?: string;
  /** `L0` to `L6`. @default L2 */
  readonly autonomy?: string;
  readonly limits?: Partial<RunLimits>;
}

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
   * @throws {AgentError} `not-waiting` when none waits, or another than the request named.
   */
  decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd>;
  /** Goes on where the session stands: after a crash, a stop, or not at all when it is done. */
  resume(signal?: AbortSignal): Promise<RunEnd>;
}

/** Level where nobody names one: reading runs, writing asks. */
const DEFAULT_AUTONOMY: Autonomy = 2;
/** How long one call may take, ms. */
const CALL_LIMIT_MS = 120_000;
/** How long a model may be silent, ms. */
const SILENCE_LIMIT_MS = 120_000;

/**
 * Opens a conversation in a new session. Everything that can be wrong is found before the session
 * is made. @throws {AgentError} and the client's errors.
 */
export async function openSession(
  machine: AgentMachine,
  options: SessionOptions,
  listener: Listener,
): Promise<Conversation> {
  const autonomy = parseAutonomy(options.autonomy);
  if (options.models.length === 0) {
    throw new AgentError("model", "no model to ask: give one as --model script:<file>");
  }
  const providers = machine.providers ?? modelProviders;
  const models = options.models.map((name) => canonicalModel(name, machine.cwd, providers));
  const opened = await Promise.all(models.map((name) => openModel(name, machine, providers)));
  const workspace = options.workspace === undefined
    ? undefined
    : await checkWorkspace({ ...machine, folder: options.workspace });
  const found = await machine.findAgent(options);
  const settings: SessionSettings = {
    agent: found.agent,
    wallet: options.wallet,
    autonomy,
    models,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    ...(workspace === undefined ? {} : { workspace }),
    ...(options.node === undefined ? {} : { node: options.node }),
    ...(options.chain === undefined ? {} : { chain: options.chain }),
  };
  const lease = machine.sessions.create([sessionOpened.draft(settings)]);
  return holding(machine, lease, listener, { models: opened, found });
}

/**
 * Opens a kept session, given by its id or a unique beginning of it.
 * @throws {SionError} `session-unknown`, `session-busy`, `session-newer`, and as `openSession`.
 */
export function reopenSession(
  machine: AgentMachine,
  session: string,
  listener: Listener,
): Conversation {
  const lease = machine.sessions.acquire(machine.sessions.resolve(session));
  return holding(machine, lease, listener);
}

/** `L0` to `L6` as a number. @throws {AgentError} `autonomy` */
function parseAutonomy(text: string | undefined): Autonomy {
  if (text === undefined) return DEFAULT_AUTONOMY;
  const match = /^L([0-6])$/.exec(text);
  if (match === null) {
    throw new AgentError("autonomy", `${text} is no autonomy level: give L0 to L6`);
  }
  return Number(match[1]) as Autonomy;
}

/** The models and the ledger of a session. */
interface Parts {
  readonly models: readonly Model[];
  readonly found: FoundAgent;
}

/** A conversation over a lease; what goes wrong here gives the lease back. */
function holding(
  machine: AgentMachine,
  lease: SessionLease,
  listener: Listener,
  parts?: Parts,
): Conversation {
  try {
    const recorder = createRecorder(lease, createFolder(machine.kinds ?? eventKinds), listener);
    const { state } = recorder;
    if (state.settings === undefined) {
      throw new AgentError("session-damaged", `session ${state.session} was never opened`);
    }
    refuseNewer(state, machine);
    return new HeldConversation(machine, lease, recorder, state.settings, parts);
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Going on without understanding an event could pay twice; looking is always possible. */
function refuseNewer(state: SessionState, { kinds = eventKinds }: AgentMachine): void {
  const versions = new Map(kinds.map(({ kind, v }) => [kind, v]));
  const newer = state.passedOver.find(({ kind, v }) => v > (versions.get(kind) ?? Infinity));
  if (newer === undefined) return;
  throw new AgentError(
    "session-newer",
    `session ${state.session} was written to by a newer sion (${newer.kind} ${newer.v}): ` +
      "update sion",
  );
}

class HeldConversation implements Conversation {
  readonly #machine: AgentMachine;
  readonly #lease: SessionLease;
  readonly #recorder: Recorder;
  readonly #settings: SessionSettings;
  readonly #renewal: ReturnType<typeof setInterval>;
  /** Aborted when the session is lost to another process. */
  readonly #held = new AbortController();
  /** Opened at first use. */
  #parts: Parts | undefined;

  constructor(
    machine: AgentMachine,
    lease: SessionLease,
    recorder: Recorder,
    settings: SessionSettings,
    parts: Parts | undefined,
  ) {
    this.#machine = machine;
    this.#lease = lease;
    this.#recorder = recorder;
    this.#settings = settings;
    this.#parts = parts;
    this.#renewal = setInterval(() => this.#renew(), LEASE_MS / 3);
    this.#renewal.unref();
  }

  get session(): string {
    return this.#recorder.state.session;
  }

  get state(): SessionState {
    return this.#recorder.state;
  }

  async say(message: PersonMessage, signal?: AbortSignal): Promise<RunEnd> {
    const { text, files = [], who, mayDecide } = message;
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
      const end = await drive(active);
      if (end.how !== "done") return end;
    }
    this.#recorder.append([personSaid.draft({ text, files, who, mayDecide })]);
    return await drive(active);
  }

  async decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd> {
    const drafts = this.#decisionDrafts(decision);
    const active = await this.#activate(signal);
    this.#tellSession();
    this.#recorder.append(drafts);
    return await drive(active);
  }

  async resume(signal?: AbortSignal): Promise<RunEnd> {
    const { state, session } = this;
    const waiting = waitingCall(state);
    if (waiting !== undefined) {
      const { request, tool, input = null } = waiting;
      const why = waiting.judged?.why ?? "";
      this.#recorder.tell({ type: "waiting", session, request, tool, input, why });
      return { how: "waiting", session, request };
    }
    if (state.ended?.how === "done" || state.said.length === 0) {
      this.#recorder.tell({ type: "done", session, said: "", files: [] });
      return { how: "done", session, said: "" };
    }
    const active = await this.#activate(signal);
    this.#tellSession();
    return await drive(active);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal);
    await Promise.resolve();
    this.#lease.release();
  }

  #tellSession(): void {
    this.#recorder.tell({
      type: "session",
      session: this.session,
      agent: this.#settings.agent,
    });
  }

  #renew(): void {
    try {
      this.#lease.renew();
    } catch (error) {
      clearInterval(this.#renewal);
      this.#held.abort(error);
    }
  }

  #decisionDrafts({ approve, why, who, request }: Decision): EventDraft[] {
    const waiting = waitingCall(this.state);
    if (waiting === undefined || (request !== undefined && request !== waiting.request)) {
      throw notWaiting(this.state, request);
    }
    const reason = why === undefined ? {} : { why };
    const drafts = [
      personDecided.draft({
        call: waiting.id,
        request: waiting.request,
        approve,
        who,
        ...reason,
      }),
    ];
    if (!approve) {
      const text = why === undefined || why === ""
        ? `declined by ${who}`
        : `declined by ${who}: ${why}`;
      drafts.push(
        callEnded.draft({ call: waiting.id, ok: false, effect: "none", code: "declined", text }),
      );
    }
    return drafts;
  }

  async #activate(signal: AbortSignal | undefined): Promise<ActiveSession> {
    const machine = this.#machine;
    const { models, found } = this.#parts ??= await this.#openParts();
    const { workspace: folder } = this.#settings;
    let workspace: Workspace | undefined;
    if (folder !== undefined) {
      await checkWorkspace({ ...machine, folder });
      workspace = await openWorkspace(folder, machine.random);
    }
    const facts = { workspace: workspace !== undefined };
    const offered = (machine.tools ?? agentTools).filter((tool) => tool.offered?.(facts) ?? true);
    const held = this.#held.signal;
    return {
      recorder: this.#recorder,
      models,
      instructions: instructionsFor(this.#settings),
      tools: new Map(offered.map((tool) => [tool.name, tool])),
      schemas: new Map(offered.map((tool) => [tool.name, inputSchemaOf(tool)])),
      steps: machine.steps ?? policySteps,
      ...(machine.hooks === undefined ? {} : { hooks: machine.hooks }),
      ledger: found.ledger,
      ...(workspace === undefined ? {} : { workspace }),
      clock: machine.clock,
      signal: signal === undefined ? held : AbortSignal.any([signal, held]),
      callLimitMs: CALL_LIMIT_MS,
      silenceLimitMs: SILENCE_LIMIT_MS,
    };
  }

  async #openParts(): Promise<Parts> {
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

function inputSchemaOf(tool: AgentTool): JsonValue {
  if (tool.inputSchema !== undefined) return tool.inputSchema;
  try {
    return z.toJSONSchema(tool.input, { io: "input" }) as JsonValue;
  } catch (error) {
    throw new TypeError(`Cannot offer tool ${tool.name}: ${messageOf(error)}`, { cause: error });
  }
}

/** Why there is nothing to decide: who decided the request, and when, if somebody did. */
function notWaiting(state: SessionState, request: string | undefined): AgentError {
  if (request !== undefined) {
    const call = [...state.calls.values()].find((one) => one.judged?.request === request);
    const decided = call?.decided;
    const by = decided === undefined
      ? ""
      : `, ${decided.who} ${decided.approve ? "approved" : "declined"} it at ` +
        new Date(decided.atMs).toISOString().slice(11, 16);
    return new AgentError(
      "not-waiting",
      `request ${request} no longer waits${by}: nothing was done`,
    );
  }
  return new AgentError(
    "not-waiting",
    `session ${state.session} waits for nothing: nothing was done`,
  );
}
