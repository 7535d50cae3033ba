/** What a validator's alarms mean to whoever runs it, and what to do. */
import type { AlarmCode, Effect } from "#internal/consensus/mod.ts";

/** What to do where a key's store is lost or older than the key. */
export const storeRemedy =
  "only the very same store, the newest there is, may be put back; else give the validator another " +
  "key (sion validator rotate-key)";

const SENTENCES: {
  readonly [code in AlarmCode]: (validator: string, text: string) => string;
} = {
  "stale-key": (validator) =>
    `${validator} signs nothing more and only follows: it signed blocks that its store lacks, so ` +
    `the store is older than its key: ${storeRemedy}`,
  "diverged": (validator, text) =>
    `${validator} signs nothing more: ${text}: give another --dir, and report it`,
  "equivocation": (_validator, text) =>
    `${text}: its key is used in two places, or it is not to be trusted (\`sion stake report\` has it ` +
    "slashed)",
};

/**
 * The sentence of an alarm.
 * @param self index of the validator that raises it; null for a follower.
 */
export function alarmSentence(
  { code, text }: Pick<Extract<Effect, { type: "alarm" }>, "code" | "text">,
  self: number | null,
): string {
  return SENTENCES[code](self === null ? "A follower" : `Validator ${self}`, text);
}
