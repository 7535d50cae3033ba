/** A conversation with the session that it holds: what is said, decided and gone on with. */
import { createRedactor, messageOf } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { EventDraft, SessionLease } from "#internal/store/mod.ts";
import { LEASE_MS } from "#internal/store/mod.ts";
import * as z from "zod";
import type { ActiveSession } from "./active.ts";
import type { OpenCapabilities } from "./capabilities/mod.ts";
import { openCapabilities } from "./capabilities/mod.ts";
import type { Decision, PersonMessage, RunEnd } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { callEnded, personDecided, personSaid } from "./events/mod.ts";
import { driveWithHooks } from "./hooked_run.ts";
import { openHooks } from "./hooks/mod.ts";
import { instructionsFor } from "./instructions.ts";
import type { AgentMachine, FoundAgent } from "./machine.ts";
import type { Model } from "./models/mod.ts";
import { modelProviders, openModel } from "./models/mod.ts";
import { policySteps } from "./policy/mod.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionSettings, SessionState } from "./state.ts";
import { openCalls, saidInRun, sessionHas, waitingCall } from "./state.ts";
import type { AgentTool } from "./tools/mod.ts";
import { agentTools } from "./tools/mod.ts";
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
   * @throws {AgentError} `not-waiting` when none waits, or another than the request named.
   */
  decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Goes on where the session stands: after a crash, a stop, or not at all when it is done.
   * @throws {AgentError} `nothing-said` when there is nothing to answer.
   */
  resume(signal?: AbortSignal): Promise<RunEnd>;
}

/** The models and the ledger of a session. */
export interface SessionParts {
  readonly models: readonly Model[];
  readonly found: FoundAgent;
}

/** Where the machine sets no limits, ms. */
const CALL_LIMIT_MS = 120_000;
const SILENCE_LIMIT_MS = 120_000;

/** The one kind of conversation. Whoever makes it hands over the lease. */
export class HeldConversation implements Conversation {
  readonly #machine: AgentMachine;
  readonly #lease: SessionLease;
  readonly #recorder: Recorder;
  readonly #settings: SessionSettings;
  readonly #renewal: ReturnType<typeof setInterval>;
  /** Aborted when the session is lost to another process. */
  readonly #held = new AbortController();
  /** Opened at first use. */
  #parts: SessionParts | undefined;
  /** Opened at first use, closed with the conversation. */
  #capabilities: OpenCapabilities | undefined;

  constructor(
    machine: AgentMachine,
    lease: SessionLease,
    recorder: Recorder,
    settings: SessionSettings,
    parts: SessionParts | undefined,
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
    const said = saidDraft(message);
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
    this.#recorder.append([said]);
    return await driveWithHooks(active);
  }

  async decide(decision: Decision, signal?: AbortSignal): Promise<RunEnd> {
    const drafts = this.#decisionDrafts(decision);
    const active = await this.#activate(signal);
    this.#tellSession();
    this.#recorder.append(drafts);
    return await driveWithHooks(active);
  }

  async resume(signal?: AbortSignal): Promise<RunEnd> {
    const { state, session } = this;
    const waiting = waitingCall(state);
    if (waiting !== undefined) {
      const { request, tool, input = null } = waiting;
      const { why = "", says, diff } = waiting.judged ?? {};
      this.#recorder.tell({
        type: "waiting",
        session,
        request,
        tool,
        input,
        why,
        ...(says === undefined ? {} : { says }),
        ...(diff === undefined ? {} : { diff }),
      });
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
      this.#recorder.tell({ type: "done", session, said, files: [] });
      return { how: "done", session, said };
    }
    const active = await this.#activate(signal);
    this.#tellSession();
    return await driveWithHooks(active);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal);
    try {
      await this.#capabilities?.[Symbol.asyncDispose]();
    } finally {
      this.#lease.release();
    }
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
    const redactor = await machine.secrets?.redactor() ?? createRedactor([]);
    this.#recorder.redactWith(redactor);
    const { models, found } = this.#parts ??= await this.#openParts();
    const { workspace: folder } = this.#settings;
    let workspace: Workspace | undefined;
    if (folder !== undefined) {
      await checkWorkspace({ ...machine, folder });
      workspace = await openWorkspace(folder);
    }
    const { services, instructions } = this.#capabilities ??= await this.#openCapabilities();
    const has = (need: string): boolean => sessionHas(this.#settings, need);
    const offered = (machine.tools ?? agentTools).filter((tool) =>
      (tool.needs?.every(has) ?? true) && (tool.offered?.(services) ?? true)
    );
    const held = this.#held.signal;
    return {
      recorder: this.#recorder,
      models,
      instructions: instructionsFor(this.#settings, instructions),
      tools: new Map(offered.map((tool) => [tool.name, tool])),
      schemas: new Map(offered.map((tool) => [tool.name, inputSchemaOf(tool)])),
      steps: machine.steps ?? policySteps,
      hooks: await (machine.openHooks ?? openHooks)({
        ...machine,
        session: this.session,
        notice: (text) => this.#recorder.tell({ type: "notice", text }),
        ...(folder === undefined ? {} : { workspace: folder }),
      }),
      ledger: found.ledger,
      ...(workspace === undefined ? {} : { workspace }),
      services,
      redactor,
      clock: machine.clock,
      signal: signal === undefined ? held : AbortSignal.any([signal, held]),
      callLimitMs: machine.callLimitMs ?? CALL_LIMIT_MS,
      silenceLimitMs: machine.silenceLimitMs ?? SILENCE_LIMIT_MS,
    };
  }

  #openCapabilities(): Promise<OpenCapabilities> {
    const { capabilities = {}, workspace } = this.#settings;
    return openCapabilities(
      capabilities,
      {
        ...this.#machine,
        session: this.session,
        notice: (text) => this.#recorder.tell({ type: "notice", text }),
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

/** What is kept of a person's message. @throws {AgentError} `nothing-said` when it is empty. */
export function saidDraft(
  { text, files = [], who, mayDecide, origin }: PersonMessage,
): EventDraft {
  if (text.trim() === "" && files.length === 0) {
    throw new AgentError("nothing-said", "the message is empty: say what is to be done");
  }
  const whose = origin === undefined ? {} : { origin };
  return personSaid.draft({ text, files, who, mayDecide, ...whose });
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
