/**
 * The calls that the seed recorded, and how a recording of this program is compared with them: to the
 * word, but for what another chain, another Pulse or another folder makes another.
 */
import { readFileSync } from "node:fs";
import type { JsonValue } from "#internal/core/mod.ts";
import { parseJson } from "#internal/core/mod.ts";
import type { Recordings } from "../../scripts/record_docs/_mcp_calls.ts";

/** A call as the seed has it. */
interface SeedCall {
  readonly call: string;
  readonly result?: JsonValue;
  /** The member that the seed left out. */
  readonly without?: string;
  /** The sentence of a call that could not be carried out. */
  readonly error?: string;
}

const file = new URL("../../fixtures/mcp/recorded_calls.json", import.meta.url);

/** In the seed's order. */
const SEED_CALLS = parseJson(readFileSync(file, "utf8")) as unknown as readonly SeedCall[];

/** Members that count what a chain has come to. */
const COUNTS = new Set([
  ...["accept_by", "anchors", "at", "certified_pulse", "claims", "executed", "knowledge_size"],
  ...["log_index", "objects", "proof_bytes", "proven_pulse", "pulse", "round", "signed"],
  ...["signedStake", "since"],
]);

/** What of a text is another each time, and what stands for it. */
const CHANCE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b/g, "<id>"],
  [/\bsion:[0-9a-f]{32}\b/g, "<network>"],
  [/\b(?=\d*[a-f])[0-9a-f]{8}\b|\b\d{8}\b/g, "<short>"],
  [/\bPulse \d+/g, "Pulse <n>"],
  [/\b\d+ claims\)/g, "<n> claims)"],
  [/\(\d+ KB;/g, "(<n> KB;"],
  [/\b[34]00000 of 400000 stake signed/g, "<n> of 400000 stake signed"],
  [/operator operator-[0-3]\b/g, "operator operator-<n>"],
  [/file:\/\/\S*\/(?=patrol-archive\.bin)/g, "file://<folder>/"],
  // The seed's bound is below the value: docs/decisions/0011-availability.md.
  [/< 1\.8e-3/g, "< 1.9e-3"],
];

function settled(value: JsonValue, key = ""): JsonValue {
  if (typeof value === "string") {
    return CHANCE.reduce((text, [chance, stands]) => text.replaceAll(chance, stands), value);
  }
  if (typeof value === "number" || typeof value === "bigint") return COUNTS.has(key) ? 0 : value;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((each) => settled(each, key));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, settled(member ?? null, name)]),
  );
}

/** What the seed recorded of a tool's calls, and what this recording has in the same places. */
export function compared(recordings: Recordings) {
  const used = new Map<string, number>();
  return SEED_CALLS.filter(({ error }) => error === undefined).map(({ call, result, without }) => {
    const name = /"name": "(\w+)"/.exec(call)?.[1] ?? "";
    const at = used.get(name) ?? 0;
    used.set(name, at + 1);
    const text = recordings.get(name)?.[at]?.result;
    const now = parseJson(text ?? "null") as { readonly [member: string]: JsonValue } | null;
    const left = without === undefined || now === null || Array.isArray(now) ? now : (() => {
      const { [without]: _, ...rest } = now;
      return rest;
    })();
    // What dana has left is of what was paid before.
    const told = (value: JsonValue): JsonValue =>
      name === "sion_balance"
        ? settled(parseJson(JSON.stringify(value).replace(/"amount":"[\d.]+"/, '"amount":"<n>"')))
        : settled(value);
    return { name, at, seed: told(result ?? null), now: told(left) };
  });
}
