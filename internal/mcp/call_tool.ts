/** One call of a tool: its input checked, its errors told as sentences, its bugs contained. */
import { type JsonValue, messageOf, SionError } from "#internal/core/mod.ts";
import { ProtocolError } from "./json_rpc.ts";
import { InputRequired } from "./peer.ts";
import { refused, type Tool, type ToolContext, type ToolFailure, type ToolResult } from "./tool.ts";

/** What a check of arguments gave. */
export type CheckedInput<Input = unknown> =
  | { readonly ok: true; readonly input: Input }
  | ToolFailure;

/**
 * Checks a call's arguments against the tool's schema. A failure (code `argument`) is one sentence
 * that names the argument and what to give.
 */
export async function checkInput<Input>(
  tool: Tool<never, Input>,
  given: JsonValue,
): Promise<CheckedInput<Input>> {
  const parsed = await tool.input.safeParseAsync(given);
  if (parsed.success) return { ok: true, input: parsed.data };
  const { argumentFailure } = await import("./argument_failure.ts");
  return argumentFailure(tool, given, parsed.error.issues);
}

/**
 * Makes a call. An error with a code becomes a failure with its sentence, anything else that is
 * thrown a failure with the code `internal`. Rejects only with what the context's own `peer` throws.
 */
export async function callTool<Context extends ToolContext>(
  tool: Tool<Context>,
  context: Context,
  given: JsonValue,
): Promise<ToolResult> {
  try {
    const checked = await checkInput(tool, given);
    if (!checked.ok) return checked;
    if (context.signal.aborted) return refused("cancelled", `${tool.name} was cancelled`);
    return await tool.run(context, checked.input);
  } catch (thrown) {
    // These are not about the tool, but between the server and its client.
    if (thrown instanceof InputRequired || thrown instanceof ProtocolError) throw thrown;
    return failureOf(tool.name, thrown, context.signal);
  }
}

function failureOf(name: string, thrown: unknown, signal: AbortSignal): ToolFailure {
  if (thrown instanceof SionError) {
    // Who throws knows whether anything was sent; silence is no promise.
    const noEffect = thrown.data["noEffect"] === true;
    return { ok: false, code: thrown.code, message: thrown.message, noEffect };
  }
  if (signal.aborted) {
    return { ok: false, code: "cancelled", message: `${name} was cancelled`, noEffect: false };
  }
  const message = `${name} failed inside: ${messageOf(thrown)}`;
  return { ok: false, code: "internal", message, noEffect: false };
}
