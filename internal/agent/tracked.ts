/** What of a result is kept besides its text, for the policy to go by. */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { matcherOf, plainPath } from "./glob.ts";
import type { SessionSettings } from "./state.ts";
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
}

/** What is to be known of a call that gave a result. */
export function trackedOf(
  settings: SessionSettings | undefined,
  { tool, input }: { readonly tool: AgentTool; readonly input: unknown },
  result: ToolResult,
): Tracked {
  const outside = tool.outside?.(result, input);
  const confidential = confidentialIn(settings, tool, input, result);
  const offers = (result.ok ? result.offers ?? [] : [])
    .filter((one) => one.length <= MAX_OFFER_LENGTH).slice(0, MAX_OFFERS);
  return {
    ...(outside === undefined ? {} : { outside }),
    ...(confidential.length === 0 ? {} : { confidential }),
    ...(offers.length === 0 ? {} : { offers }),
  };
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
