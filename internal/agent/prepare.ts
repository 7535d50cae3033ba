/** Everything that happens to a call before it runs: reading its input, the policy, the journal. */
import { stringifyJson, toHex, utf8 } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { ToolFailure } from "#internal/mcp/mod.ts";
import type * as z from "zod";
import type { ActiveSession } from "./active.ts";
import { capabilities } from "./capabilities/mod.ts";
import { journalRoot } from "./file_history.ts";
import { grantsFor } from "./grants.ts";
import { judge } from "./policy/mod.ts";
import type { Judgement, Question } from "./policy/mod.ts";
import { filledInput } from "./quarantine.ts";
import type { HeldValue } from "./quarantine.ts";
import type { Preview } from "./shown.ts";
import type { CallState, SessionState } from "./state.ts";
import { sessionHas } from "./state.ts";
import type { AgentTool, ToolNeed } from "./tools/mod.ts";
import { agentTools } from "./tools/mod.ts";

/** A call that was judged. `question` is missing when it never got as far as the policy. */
export interface PreparedCall {
  readonly call: CallState;
  readonly judgement: Judgement;
  readonly question?: Question;
  /** Set when it is known how it would fail. */
  readonly failure?: ToolFailure;
  /** How it would change files, of one that a person is asked about. */
  readonly changes?: Preview;
}

/** A call whose input passed its schema. */
interface ReadCall {
  readonly tool: AgentTool;
  readonly input: unknown;
  /** The values of it that come out of quarantine. */
  readonly held: readonly HeldValue[];
}

/** Judges a call as things stand now. Changes nothing. */
export function prepare(session: ActiveSession, call: CallState): PreparedCall {
  const state = session.recorder.state;
  const cut = state.turns[call.turn - 1]?.stop ?? "end";
  if (cut !== "end") {
    return unreadable(
      call,
      "the answer was cut off before this call was certainly whole, so it was not made: " +
        "make it again, in smaller pieces",
    );
  }
  const read = readCall(session, call);
  if (typeof read === "string") return unreadable(call, read);
  const question = questionOf(session, call, read);
  return { call, question, judgement: judge(question, session.steps) };
}

/** A call's tool and checked input, or what is wrong with it. */
export function readCall(
  { tools, recorder: { state } }: Pick<ActiveSession, "tools" | "recorder">,
  call: CallState,
): ReadCall | string {
  const { settings } = state;
  const tool = tools.get(call.tool);
  if (tool === undefined) return missingTool(call.tool, (need) => sessionHas(settings, need));
  if (call.unreadable !== undefined) {
    return `the input of ${call.tool} is not a JSON object (${call.unreadable}): give one`;
  }
  // It would name another file than the one that is meant, and cannot be sent anywhere as it is.
  if (!isWellFormed(call.input)) {
    return `a text in the input of ${call.tool} holds half of a character: give whole ones`;
  }
  const { input: filled, held, unknown } = tool.takesPlaceholders === true
    ? { input: call.input, held: [], unknown: [] }
    : filledInput(state, call.input ?? {});
  if (unknown.length > 0) {
    return `nothing is held as ${unknown.join(", ")}: give one that you were shown`;
  }
  const input = tool.input.safeParse(filled);
  if (input.success) return { tool, input: input.data, held };
  // What is wrong may quote the content.
  if (held.length > 0) return `${tool.name} does not take the content held in quarantine there`;
  return `${call.tool} does not take this input: ${issuesOf(input.error)}${
    takes(tool, input.error)
  }`;
}

/** True when no text in a value, key or member, holds half of a character. */
function isWellFormed(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/** A tool that this session is not offered, or that there is not at all. */
function missingTool(name: string, has: (need: ToolNeed) => boolean): string {
  const known = agentTools.find((tool) => tool.name === name);
  const [need] = known?.needs?.filter((one) => !has(one)) ?? [];
  if (need === undefined) return `there is no tool named ${name}`;
  return need === "workspace"
    ? `there is no tool named ${name} without a workspace: run the agent with --workspace <folder>`
    : `there is no tool named ${name} without ${need}: run the agent with ${optionOf(need)}`;
}

/** The option that gives a capability. */
function optionOf(need: ToolNeed): string {
  const [option] = capabilities.find(({ name }) => name === need)?.options ?? [];
  return `--${(option?.name ?? need).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What the policy is asked about a call. */
function questionOf(
  { recorder: { state }, services }: ActiveSession,
  call: CallState,
  { tool, input, held }: ReadCall,
): Question {
  const session = { id: state.session, outside: state.outside, services };
  const declared = tool.effect?.(input, session) ?? tool.highestEffect;
  // What nothing takes back is no plain write: it asks and is refused as what reaches outside.
  const effect = declared === "write" && tool.irreversible === true ? "external" : declared;
  const journaled = effect !== "read" && !tool.repeatHarmless;
  const targets = tool.targets?.(input) ?? [];
  const grants = effect === "spend" ? grantsFor(state, call, targets) : undefined;
  return {
    state,
    session,
    call,
    tool,
    input,
    effect,
    targets,
    paths: tool.paths?.(input) ?? [],
    held,
    key: journaled
      ? digestOf("sion/journal/v1", [journalRoot.of(state), tool.name, input])
      : undefined,
    ...(grants === undefined ? {} : { grants }),
  };
}

/** The id under which a person is asked about a call: 8 hex digits over the call as it is shown. */
export function requestId(
  state: SessionState,
  { id, tool, input }: CallState,
  diff?: string,
): string {
  const shown = [state.session, id, tool, input, ...(diff === undefined ? [] : [diff])];
  return digestOf("sion/request/v1", shown).slice(0, 8);
}

function digestOf(domain: string, value: readonly unknown[]): string {
  return toHex(sha256(utf8(stringifyJson([domain, ...value]))));
}

function unreadable(call: CallState, why: string): PreparedCall {
  return { call, judgement: { verdict: "refuse", step: "input", why } };
}

function issuesOf(error: z.core.$ZodError): string {
  return error.issues.slice(0, 3).map(({ path, message }) => {
    if (path.length === 0) return message;
    const name = path.join(".");
    return message.endsWith("received undefined") ? `${name} is missing` : `${name}: ${message}`;
  }).join("; ");
}

/** What a tool takes, for whoever gave it what it does not. */
function takes({ input }: AgentTool, { issues }: z.core.$ZodError): string {
  const unknown = issues.some(({ code, path }) =>
    code === "unrecognized_keys" && path.length === 0
  );
  if (!unknown || !("shape" in input)) return "";
  const names = Object.keys(input.shape as object);
  return names.length === 0 ? ": it takes none" : `: it takes ${names.join(", ")}`;
}
