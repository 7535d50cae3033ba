/**
 * Content held in quarantine: the model is shown a placeholder, may ask a reader about the content,
 * and passes it on by writing the placeholder as a call's value; the content takes its place when the
 * call is made, and not before.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import type { HeldContent, SessionState } from "./state.ts";

/** A placeholder as models write it: with what it says of itself, or without. */
const PLACEHOLDER = /⟦outside (\d{1,6}\.\d{1,3}(?:\.\d{1,5})?)(?::[^⟦⟧]*)?⟧/gu;

/** A value of a call that comes from content held in quarantine. */
export interface HeldValue extends HeldContent {
  /** Where in the input, as in `to` or `participants.0`. */
  readonly argument: string;
}

/** The shapes of answers. Only `text` can hold words of the content, and is held itself. */
export const ANSWER_SHAPES = ["choice", "date", "number", "text", "yes_no"] as const;

/** One of them. */
export type AnswerShape = (typeof ANSWER_SHAPES)[number];

/** What a reader is asked. */
export interface ReaderQuestion {
  /** The id of the held content. */
  readonly about: string;
  readonly question: string;
  readonly answer: AnswerShape;
  /** What a choice is among. */
  readonly options: readonly string[];
}

/** What came of it: the answer, or why there is none, in words that are not the content's. */
export type ReaderAnswer =
  | { readonly answer: string }
  | { readonly problem: string };

/** Asks a reader. */
export type Reader = (question: ReaderQuestion, signal: AbortSignal) => Promise<ReaderAnswer>;

/** A call's input with held content in its place, and which values that is. */
export interface FilledInput {
  readonly input: JsonValue;
  readonly held: readonly HeldValue[];
  /** Placeholders of nothing that is held. */
  readonly unknown: readonly string[];
}

/**
 * What the model is shown of held content. Nothing in it is of the content's making: the id is the
 * call's, and where it is from the model knows from the call.
 */
export function placeholderOf(id: string, tool: string, text: string): string {
  return `⟦outside ${id}: what ${tool} gave, ${grouped(text.length)} characters⟧`;
}

/** The id that a text names, as a placeholder or alone. */
export function heldId(text: string): string | undefined {
  const [, id] =
    /^(?:⟦?outside )?(\d{1,6}\.\d{1,3}(?:\.\d{1,5})?)(?::[^⟦⟧]*)?⟧?$/u.exec(text.trim()) ?? [];
  return id;
}

/** Puts held content where its placeholders stand. */
export function filledInput({ held }: SessionState, input: JsonValue): FilledInput {
  const found: HeldValue[] = [];
  const unknown = new Set<string>();
  const fill = (value: JsonValue, path: string): JsonValue => {
    if (typeof value === "string") {
      return value.replace(PLACEHOLDER, (placeholder, id: string) => {
        const content = held.get(id);
        if (content === undefined) {
          unknown.add(placeholder);
          return placeholder;
        }
        found.push({ ...content, argument: path });
        return content.text;
      });
    }
    if (Array.isArray(value)) {
      return value.map((member: JsonValue, index) => fill(member, joined(path, String(index))));
    }
    if (value === null || typeof value !== "object") return value;
    const out: Record<string, JsonValue> = Object.create(null);
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) out[key] = fill(member, joined(path, key));
    }
    return out;
  };
  return { input: fill(input, ""), held: found, unknown: [...unknown] };
}

function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function grouped(value: number): string {
  return value.toString().replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
