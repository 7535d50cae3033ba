/**
 * Taint: once a session holds content from outside, a call that reaches outside or spends asks,
 * whatever the level, unless the person named every place it goes to. Values are judged one by one
 * where that can be: a write asks when content from outside gave its target, a page is read when its
 * address was named or offered, and a message that carries an address asks unless that was named.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import type { Target } from "#internal/mcp/mod.ts";
import { plainAddress } from "../addresses.ts";
import { carriedAddresses, sourceOf } from "../outside.ts";
import { isNamed } from "../own_words.ts";
import { EFFECT_WORDS } from "./_step.ts";
import type { PolicyStep, Question, StepAnswer } from "./_step.ts";

/** Sources and places named in one question. */
const TOLD = 3;
/** Characters of one of them. */
const TOLD_LENGTH = 120;

/** Never answered by a standing approval: it asks because what is known of the session changed. */
export const taint: PolicyStep = {
  name: "taint",
  judge(question) {
    if (question.state.brought.length === 0) return undefined;
    switch (question.effect) {
      case "read":
        return judgeFetch(question);
      case "write":
        return judgeWrite(question);
      case "external":
      case "spend":
        return judgeReach(question);
    }
  },
};

/** A page is read when the person named its address, or a result offered it as it is. */
function judgeFetch(question: Question): StepAnswer {
  const { state, tool, targets } = question;
  if (!tool.openWorld) return undefined;
  const unnamed = targets.filter((target) =>
    !isNamed(state, target) && !state.offers.has(plainAddress(target.to))
  );
  return unnamed.length === 0 ? undefined : asked(question, "reading a page", unnamed);
}

/** What is written here can be taken back: it asks only where content from outside says where to. */
function judgeWrite(question: Question): StepAnswer {
  const { state, targets } = question;
  const given = targets.filter((target) =>
    sourceOf(state, target.to) !== undefined && !isNamed(state, target)
  );
  return given.length === 0 ? undefined : asked(question, EFFECT_WORDS.write, given);
}

function judgeReach(question: Question): StepAnswer {
  const { state, effect, targets, grants } = question;
  const unnamed = targets.filter((target) => !isNamed(state, target));
  const carried = carriedAddresses(state, question.input as JsonValue)
    .map(({ address }) => ({ kind: "address", to: address }))
    .filter((target) => !isNamed(state, target));
  const again = effect === "spend" && targets.length > 0 && grants === undefined;
  if (targets.length > 0 && unnamed.length === 0 && carried.length === 0 && !again) {
    return undefined;
  }
  return asked(question, EFFECT_WORDS[effect], uniqueOf([...unnamed, ...carried]));
}

function uniqueOf(targets: readonly Target[]): readonly Target[] {
  return targets.filter(({ to }, index) => targets.findIndex((one) => one.to === to) === index);
}

function asked({ state }: Question, word: string, targets: readonly Target[]): StepAnswer {
  const places = targets.slice(0, TOLD).map((target) => {
    const source = sourceOf(state, target.to);
    return source === undefined
      ? `you did not name ${placeOf(target)}`
      : `${placeOf(target)} comes from ${cut(source.from)}, not from you`;
  });
  const because = places.length === 0 ? "" : `: ${listOf(places, targets.length)}`;
  const sources = state.outside.slice(-TOLD).toReversed().map(cut);
  return {
    answer: "ask",
    why: `${word} after reading ${listOf(sources, state.outside.length)}${because}`,
    standing: false,
  };
}

function placeOf({ to, amount }: Target): string {
  return amount === undefined ? cut(to) : `${cut(to)} with ${amount} USD`;
}

function listOf(told: readonly string[], all: number): string {
  const more = all - told.length;
  return more > 0 ? `${told.join(", ")} and ${more} more` : told.join(", ");
}

function cut(text: string): string {
  return text.length <= TOLD_LENGTH ? text : `${text.slice(0, TOLD_LENGTH).toWellFormed()}…`;
}
