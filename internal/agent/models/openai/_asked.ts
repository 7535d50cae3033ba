/** The model that is asked, for both of OpenAI's interfaces. */
import type { KnownModel } from "../_known_models.ts";
import type { ModelQuestion } from "../_model.ts";
import type { NamedModel } from "../_options.ts";

/** A model and what is known of it. */
export interface Asked extends NamedModel {
  /** As `--model` has it. */
  readonly name: string;
  readonly known: KnownModel | undefined;
  /** True of OpenAI's own servers, which take what others may not know. */
  readonly own: boolean;
}

/** A result as a model reads it; these interfaces have no other place for a failure. */
export function resultText({ ok, text }: { readonly ok: boolean; readonly text: string }): string {
  return ok ? text : `failed: ${text}`;
}

/** How long an answer may be, tokens; undefined when nobody bounds it. */
export function answerBound(
  { maxOutput }: Asked,
  { mostOutput }: ModelQuestion,
): number | undefined {
  const bounds = [maxOutput, mostOutput].filter((one) => one !== undefined);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}
