/** Opening conversations: with a new session, or with one that is kept. */
import { createRedactor } from "#internal/core/mod.ts";
import type { SessionLease } from "#internal/store/mod.ts";
import type { GivenOptions } from "./capabilities/mod.ts";
import { budgetOf, readCapabilities, sharedBudgets } from "./capabilities/mod.ts";
import type { CapabilitySettings } from "./capability_settings.ts";
import type { Listener, PersonMessage } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { choicesMade, eventKinds, sessionOpened } from "./events/mod.ts";
import type { ChoicesMade } from "./events/mod.ts";
import { createFolder } from "./fold.ts";
import { HeldConversation, refuseNewer, saidDraft } from "./held_conversation.ts";
import type { Conversation, SessionParts } from "./held_conversation.ts";
import { readHooks } from "./hooks/mod.ts";
import type { AgentMachine, AgentName } from "./machine.ts";
import { canonicalModel, modelProviders, openModel } from "./models/mod.ts";
import { createRecorder } from "./recorder.ts";
import { redactedDraft } from "./secrets.ts";
import type { Autonomy, RunLimits, SessionSettings } from "./state.ts";
import { DEFAULT_LIMITS } from "./state.ts";
import { takeFiles } from "./sent_files.ts";
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
  /** Options of capabilities, by their names. @default none */
  readonly given?: GivenOptions;
  /** What the chat chose that it is opened for, and who chose. @default nothing */
  readonly chosen?: ChoicesMade;
  /** Names of budgets that it draws on, besides those among its options. @default none */
  readonly budgets?: readonly string[];
  /** The session whose work it is a part of, by its id: it draws on all that session's budgets. @default none */
  readonly under?: string;
}

/** Level where nobody names one: reading runs, writing asks. */
const DEFAULT_AUTONOMY: Autonomy = 2;
/**
 * Opens a conversation in a new session. Everything that can be wrong is found before the session
 * is made. @throws {AgentError} and the client's errors.
 * @param first what is said in it first, kept in the same step as the session, so that no session
 * forgets its task; `resume` answers it. @default nothing yet
 */
export async function openSession(
  machine: AgentMachine,
  options: SessionOptions,
  listener: Listener,
  first?: PersonMessage,
): Promise<Conversation> {
  const autonomy = parseAutonomy(options.autonomy);
  if (options.models.length === 0) {
    throw new AgentError(
      "model",
      "no model to ask: give --model anthropic:<model>, openai:<model> or script:<file>",
    );
  }
  const providers = machine.providers ?? modelProviders;
  const models = options.models.map((name) => canonicalModel(name, machine.cwd, providers));
  const opened = await Promise.all(models.map((name) => openModel(name, machine, providers)));
  const workspace = options.workspace === undefined
    ? undefined
    : await checkWorkspace({ ...machine, folder: options.workspace });
  const capabilities = await readCapabilities(
    options.given ?? {},
    { ...machine, ...(workspace === undefined ? {} : { workspace }) },
    machine.capabilities,
  );
  if (machine.openHooks === undefined) await readHooks(machine);
  const budgets = budgetNames(machine, options, capabilities);
  const found = await machine.findAgent(options);
  const settings: SessionSettings = {
    agent: found.agent,
    wallet: options.wallet,
    autonomy,
    models,
    limits: { ...DEFAULT_LIMITS, ...budgetOf(capabilities), ...options.limits },
    ...(workspace === undefined ? {} : { workspace }),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
    ...(options.node === undefined ? {} : { node: options.node }),
    ...(options.chain === undefined ? {} : { chain: options.chain }),
    ...(budgets.length === 0 ? {} : { budgets }),
  };
  const redactor = await machine.secrets?.redactor() ?? createRedactor([]);
  const { chosen } = options;
  const said = first === undefined ? undefined : await takeFiles(first, {
    ...machine,
    workspace: workspace === undefined ? undefined : await openWorkspace(workspace),
  });
  const drafts = [
    sessionOpened.draft(settings),
    ...(chosen === undefined ? [] : [choicesMade.draft(chosen)]),
    ...(said === undefined ? [] : [saidDraft(said)]),
  ].map((draft) => redactedDraft(redactor, draft));
  const lease = machine.sessions.create(drafts);
  return holding(machine, lease, listener, { models: opened, found });
}

/** The budgets of a new session: its profile's and those given, and whatever the session above it has. */
function budgetNames(
  { sessions, kinds = eventKinds, budgets: kept }: AgentMachine,
  { budgets = [], under }: SessionOptions,
  capabilities: CapabilitySettings,
): readonly string[] {
  const above = under === undefined
    ? []
    : createFolder(kinds).fold(under, sessions.read(under)).settings?.budgets ?? [];
  const shared = sharedBudgets(capabilities);
  const there = new Set(kept?.list(shared).map(({ name }) => name));
  const missing = shared.find((name) => !there.has(name));
  if (missing !== undefined) {
    throw new AgentError(
      "budget",
      `there is no budget ${missing}: \`sion agent budget set ${missing} <usd> --per day\` makes it`,
    );
  }
  return [...new Set([...budgets, ...shared, ...above])].sort();
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
export function parseAutonomy(text: string | undefined): Autonomy {
  if (text === undefined) return DEFAULT_AUTONOMY;
  const match = /^L([0-6])$/.exec(text);
  if (match === null) {
    throw new AgentError("autonomy", `${text} is no autonomy level: give L0 to L6`);
  }
  return Number(match[1]) as Autonomy;
}

/** A conversation over a lease; what goes wrong here gives the lease back. */
function holding(
  machine: AgentMachine,
  lease: SessionLease,
  listener: Listener,
  parts?: SessionParts,
): Conversation {
  try {
    const recorder = createRecorder(lease, createFolder(machine.kinds ?? eventKinds), listener);
    const { state } = recorder;
    if (state.settings === undefined) {
      throw new AgentError("session-damaged", `session ${state.session} was never opened`);
    }
    refuseNewer(state, machine.kinds);
    return new HeldConversation(machine, lease, recorder, state.settings, parts);
  } catch (error) {
    lease.release();
    throw error;
  }
}
