/** What of a result is kept besides its text, for the policy to go by. */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { matcherOf, plainPath } from "./glob.ts";
import { placeholderOf } from "./quarantine.ts";
import type { HeldValue } from "./quarantine.ts";
import type { SessionSettings, SessionState } from "./state.ts";
import { sessionHas } from "./state.ts";
import type { AgentTool } from "./tools/mod.ts";

/** Addresses that one result may offer, and how long each may be, characters. */
const MAX_OFFERS = 1_000;
const MAX_OFFER_LENGTH = 2_048;
/** Confidential files that are named of one result. */
const MAX_CONFIDENTIAL = 20;

/** The parts of a call's end that the policy goes by. */
export interface Tracked {
  /** Where the strangers' content in it is from. */
  readonly outside?: string;
  readonly confidential?: readonly string[];
  readonly offers?: readonly string[];
  /** Files into which it wrote content out of quarantine. */
  readonly wrote?: readonly string[];
}

/** A call as far as this goes by it. */
interface TrackedCall {
  readonly tool: AgentTool;
  readonly input: unknown;
  /** The values of it that come out of quarantine. */
  readonly held: readonly HeldValue[];
  readonly call?: { readonly id: string };
}

/** What is to be known of a call that gave a result. */
export function trackedOf(state: SessionState, call: TrackedCall, result: ToolResult): Tracked {
  const { tool, input, held } = call;
  const outside = tool.outside?.(result, input) ?? programSource(state, call) ??
    echoOf(state, call, result);
  const confidential = confidentialIn(state.settings, tool, input, result);
  const offers = (result.ok ? result.offers ?? [] : [])
    .filter((one) => one.length <= MAX_OFFER_LENGTH).slice(0, MAX_OFFERS);
  const wrote = held.length > 0 || state.outsideFiles.size > 0 ? writtenBy(state, call) : [];
  return {
    ...(outside === undefined ? {} : { outside }),
    ...(confidential.length === 0 ? {} : { confidential }),
    ...(offers.length === 0 ? {} : { offers }),
    ...(wrote.length === 0 ? {} : { wrote }),
  };
}

/** What a program was told of content from outside may stand in whatever it prints. */
function programSource({ brought, held }: SessionState, { call }: TrackedCall): string | undefined {
  if (call === undefined) return undefined;
  const sources = brought.filter((content) =>
    content.call?.startsWith(`${call.id}.`) === true && !held.has(content.call)
  ).map(({ from }) => from);
  const [first, ...others] = new Set(sources);
  if (first === undefined) return undefined;
  return `a program over ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** Held content that comes back another way: a result that quotes it, a file that it was put into. */
function echoOf(
  { outsideFiles }: SessionState,
  { tool, input, held }: TrackedCall,
  result: ToolResult,
): string | undefined {
  const [first] = held;
  if (first !== undefined) return first.from;
  if (outsideFiles.size === 0) return undefined;
  if (tool.readsWorkspace === true) return "files with content from outside";
  const named = (tool.paths?.(input) ?? []).map(({ path }) => path);
  const path = [...named, ...(result.ok ? result.shown ?? [] : [])].map(plainPath)
    .find((one) => outsideFiles.has("**") || outsideFiles.has(one));
  return path === undefined ? undefined : `file ${path}`;
}

/** Where a call may have put held content: a command anywhere, once a file has some. */
function writtenBy({ outsideFiles }: SessionState, { tool, input, held }: TrackedCall): string[] {
  if (tool.readsWorkspace === true) return ["**"];
  const paths = tool.paths?.(input) ?? [];
  const taken = held.length > 0 || paths.some(({ path }) => outsideFiles.has(plainPath(path)));
  return taken ? paths.filter(({ use }) => use === "write").map(({ path }) => plainPath(path)) : [];
}

/** What the model is told of a call, and apart from that what it is not shown. */
export function shownText(
  { settings }: SessionState,
  { call, tool, text }: { readonly call: string; readonly tool: string; readonly text: string },
  { outside }: Tracked,
): { readonly text: string; readonly held?: string } {
  if (outside === undefined || !sessionHas(settings, "quarantine")) return { text };
  return { text: placeholderOf(call, tool, text), held: text };
}

/** The globs of files that a session keeps confidential; none when it keeps none. */
export function confidentialGlobs(settings: SessionSettings | undefined): readonly string[] {
  if (!sessionHas(settings, "confidential")) return [];
  return globsSchema.parse(settings?.capabilities?.["confidential"]).globs;
}

const globsSchema = z.object({ globs: z.array(z.string()) });

/**
 * What confidential things a result shows. A file that a call names counts whatever came of the call:
 * a failure may quote it. A command counts as having read all that it could.
 */
function confidentialIn(
  settings: SessionSettings | undefined,
  tool: AgentTool,
  input: unknown,
  result: ToolResult,
): string[] {
  const found = new Set<string>();
  if (tool.personal === true && result.ok) found.add(`what ${tool.name} tells`);
  const globs = confidentialGlobs(settings);
  if (globs.length === 0) return [...found];
  if (tool.readsWorkspace === true) found.add(`files that ${tool.name} could read`);
  const isConfidential = matcherOf(globs);
  const named = (tool.paths?.(input) ?? []).map(({ path }) => path);
  const shown = result.ok ? result.shown ?? [] : [];
  for (const path of [...named, ...shown]) {
    if (isConfidential(path)) found.add(plainPath(path));
  }
  return [...found].slice(0, MAX_CONFIDENTIAL);
}
