/** The agent runtime: sessions, the loop, policy, models and the agents' own tools. */
export { addressesIn } from "./addresses.ts";
export type { CapabilityOption, GivenOptions } from "./capabilities/mod.ts";
export { capabilityOptions } from "./capabilities/mod.ts";
export type { ChatOptions, ChatRefusal, ChatReply } from "./chat.ts";
export { Chat } from "./chat.ts";
export type { ChatCommand, ChatPerson, CommandAnswer, CommandChat } from "./commands/mod.ts";
export { chatCommands } from "./commands/mod.ts";
export * from "./conversation.ts";
export * from "./errors.ts";
export type { Forked } from "./fork.ts";
export { forkSession } from "./fork.ts";
export type { AnyEventKind, EventKind, Logged } from "./events/mod.ts";
export { defineEvent, eventKinds } from "./events/mod.ts";
export type { Hook, HookEvent, SessionHooks } from "./hooks/mod.ts";
export {
  addHook,
  DEFAULT_TIMEOUT_S,
  HOOK_EVENTS,
  MAX_TIMEOUT_S,
  readHooks,
  removeHook,
} from "./hooks/mod.ts";
export type { Acting, AgentLedger, AgentPayment, Budget, SignedTransaction } from "./ledger.ts";
export type { AgentMachine, AgentName, FoundAgent } from "./machine.ts";
export type {
  Model,
  ModelContext,
  ModelErrorCode,
  ModelMessage,
  ModelPart,
  ModelProvider,
  ModelRequest,
  OfferedTool,
} from "./models/mod.ts";
export { anthropicHeaders, ModelError, modelProviders } from "./models/mod.ts";
export type { MachineOptions, OpenMachine } from "./open_machine.ts";
export { openAgentMachine, openSecrets } from "./open_machine.ts";
export type { Conversation } from "./held_conversation.ts";
export type { SessionOptions } from "./open.ts";
export { openSession, reopenSession } from "./open.ts";
export type { Asked, PolicyStep, Question, StepAnswer } from "./policy/mod.ts";
export { policySteps } from "./policy/mod.ts";
export { checkLevelOf, profileOf, sessionOf, withOptions } from "./profiles.ts";
export { answerProject, projectInstructions } from "./project_instructions.ts";
export type { LineRole, PrintedLine, Printer } from "./print.ts";
export { briefCallText, createPrinter, jsonLineOf, linesOf, waitingText } from "./print.ts";
export type { FoundSession, ListedSession } from "./list.ts";
export { listedOf, listSessions, searchSessions } from "./list.ts";
export { pictureTypeOf } from "./pictures.ts";
export type { ContinueOptions, RunOptions } from "./run.ts";
export { continueSession, runAgent, traceSession } from "./run.ts";
export type { Secrets } from "./secrets.ts";
export { createSecrets } from "./secrets.ts";
export type {
  Asks,
  Declaration,
  ListedSkill,
  Skill,
  SkillFile,
  SkillsPlace,
} from "./skills/mod.ts";
export {
  asksForMore,
  checkedSkill,
  findSkill,
  grantSkill,
  installBundle,
  leftReleases,
  listSkills,
  MAX_BUNDLE_BYTES,
  NOTHING,
  ownFolder,
  packBundle,
  readBundle,
  readSkillFolder,
  RELEASE_SCHEMA,
  releaseSubject,
  removeLeftReleases,
  removeSkill,
  replacementBy,
  replacementLines,
  reviewLines,
  scriptsOf,
  statedRelease,
} from "./skills/mod.ts";
export { budgetText } from "./costs.ts";
export { minuteText } from "./minutes.ts";
export { lastExchange } from "./state.ts";
export type { Autonomy, RunLimits, SessionSettings, SessionState } from "./state.ts";
export type { AgentTool, AgentToolContext, Note, Recovery, ToolNeed } from "./tools/mod.ts";
export { agentTools, defineAgentTool, inputSchemaOf } from "./tools/mod.ts";
export { waitingEvent } from "./waiting.ts";
export type { Trace, TracedPayment, TraceStep } from "./trace.ts";
export { traceLines } from "./trace.ts";
export { MAX_SENT_BYTES } from "./sent_files.ts";
