/** Errors of the agent runtime that its callers handle. */
import { SionError } from "#internal/core/mod.ts";

/**
 * `autonomy`, `hooks`, `model`, `model-key`, `option`, `script`, `workspace`, `agent-unknown`: an option is
 * wrong, nothing was started. `no-budget`: the agent has nothing it may pay from. `budget`: a
 * budget of model costs is used up, or not there. `cost`: the run may cost no more. `not-waiting`: there is nothing to
 * decide, or another request. `nothing-said`: there is nothing to answer. `waits`: a decision is
 * needed first. `no-text`: what an address leads to is nothing to be read. `search`: a search of
 * the web failed. `rule`: nothing can be allowed for a session by it. `skill`: a file or folder is not as skills are.
 * `skill-unknown`: there is none of that name. `skill-changed`: an installed release is not what it was.
 * `session-newer`: a newer sion wrote to the session.
 */
export type AgentErrorCode =
  | "autonomy"
  | "budget"
  | "cost"
  | "hooks"
  | "model"
  | "model-key"
  | "option"
  | "no-text"
  | "rule"
  | "script"
  | "search"
  | "skill"
  | "skill-changed"
  | "skill-unknown"
  | "workspace"
  | "agent-unknown"
  | "no-budget"
  | "not-waiting"
  | "nothing-said"
  | "waits"
  | "session-newer"
  | "session-damaged";

/** An error of the agent runtime; the message is the sentence a person is shown. */
export class AgentError extends SionError<AgentErrorCode> {}
