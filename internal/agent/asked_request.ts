/** The next request to a session's model, and the most that its question is counted as. */
import type { ActiveSession } from "./active.ts";
import { modelView, viewOf } from "./model_view.ts";
import type { Model, ModelQuestion } from "./models/mod.ts";
import { mostTokens } from "./models/mod.ts";
import type { SessionState } from "./state.ts";

/** What a model is asked for the session's next turn, but for what belongs to the connection. */
export function nextRequest(
  { recorder: { state }, instructions, tools, schemas }: ActiveSession,
  { name }: Model,
): ModelQuestion {
  const mostInput = mostInputOf(state, name);
  return {
    session: state.session,
    instructions,
    messages: modelView(state),
    tools: [...tools.values()].map(({ name: tool, description }) => ({
      name: tool,
      description,
      inputSchema: schemas.get(tool) ?? {},
    })),
    turn: state.turns.length + 1,
    ...(mostInput === undefined ? {} : { mostInput }),
  };
}

/**
 * Tokens: as the same model counted its last turn, and a token a byte of what came since; undefined
 * where it has counted nothing yet.
 */
function mostInputOf(state: SessionState, model: string): number | undefined {
  const at = state.entries.findLastIndex((entry) => !("said" in entry));
  const entry = state.entries[at];
  const turn = entry !== undefined && "turn" in entry ? state.turns[entry.turn] : undefined;
  if (turn === undefined || turn.stop === "cut" || turn.model !== model) return undefined;
  const { input, output, estimated } = turn.usage;
  if (estimated || input === 0) return undefined;
  const since = viewOf(state, state.entries.slice(at)).filter(({ role }) => role !== "model");
  return input + output + mostTokens({ instructions: "", messages: since, tools: [] });
}
