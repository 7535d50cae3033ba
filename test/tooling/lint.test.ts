import { expect, test } from "vitest";
import { makeScratch } from "./_scratch.ts";

const OXLINT = "oxlint/bin/oxlint";

/** What the linter must refuse, by the file it stands in and the rule it breaks. */
const REFUSED: readonly (readonly [path: string, rule: string, text: string])[] = [
  ["internal/core/now.ts", "no-restricted-globals", "export const now = () => Date.now();"],
  ["internal/ledger/date.ts", "no-restricted-globals", "export const date = () => new Date();"],
  ["internal/proofs/perf.ts", "no-restricted-globals", "export const t = () => performance.now();"],
  [
    "internal/merkle/random.ts",
    "no-restricted-properties",
    "export const r = () => Math.random();",
  ],
  ["internal/rpc/timer.ts", "no-restricted-globals", "setTimeout(() => 1, 1);"],
  ["internal/rpc/fetch.ts", "no-restricted-globals", 'export const f = () => fetch("x");'],
  [
    "internal/consensus/global.ts",
    "no-restricted-globals",
    'export const f = () => globalThis.fetch("x");',
  ],
  [
    "internal/core/values.ts",
    "no-restricted-globals",
    "export const v = () => crypto.getRandomValues(new Uint8Array(1));",
  ],
  [
    "internal/crypto/bytes.ts",
    "no-restricted-imports",
    'import { randomBytes } from "node:crypto";\nexport const b = randomBytes;',
  ],
  [
    "internal/crypto/values.ts",
    "no-restricted-properties",
    "export const v = () => globalThis.crypto.getRandomValues(new Uint8Array(1));",
  ],
  [
    "internal/ledger/files.ts",
    "no-restricted-imports",
    'import { readFileSync } from "node:fs";\nexport const f = readFileSync;',
  ],
  [
    "internal/consensus/net.ts",
    "no-restricted-imports",
    'import { connect } from "node:net";\nexport const c = connect;',
  ],
  ["internal/ledger/json.ts", "no-restricted-globals", "export const j = JSON.stringify;"],
  ["internal/proofs/json.ts", "no-restricted-globals", "export const j = JSON.parse;"],
  ["internal/client/fetch.ts", "no-restricted-globals", 'export const f = () => fetch("x");'],
  [
    "internal/node/deno.ts",
    "no-restricted-globals",
    "export const e = () => (globalThis as { Deno?: unknown }).Deno;",
  ],
  [
    "internal/node/floating.ts",
    "no-floating-promises",
    "async function work(): Promise<void> { await Promise.resolve(); }\nexport const go = () => { work(); };",
  ],
  [
    "internal/node/switch.ts",
    "switch-exhaustiveness-check",
    'export function pick(k: "a" | "b"): number { switch (k) { case "a": return 1; }\nreturn 2; }',
  ],
  ["internal/node/console.ts", "no-console", 'export const say = () => console.log("x");'],
  ["internal/node/long.ts", "max-lines", `export const one = 1;\n${"// line\n".repeat(600)}`],
  [
    "internal/node/function.ts",
    "max-lines-per-function",
    `export function long(): void {\n${"  // line\n".repeat(100)}}`,
  ],
  [
    "internal/node/cycle.ts",
    "no-cycle",
    'import { back } from "./cycle_back.ts";\nexport const cycle = (): unknown => back;',
  ],
];

test(".oxlintrc.json refuses each thing that a unit may not do", async () => {
  using scratch = makeScratch({
    ...Object.fromEntries(REFUSED.map(([path, , text]) => [path, `${text}\n`])),
    "internal/node/cycle_back.ts":
      'import { cycle } from "./cycle.ts";\nexport const back = (): unknown => cycle;\n',
  });
  const { code, output } = await scratch.tool(OXLINT, "--type-aware", "--format=unix");
  expect(code).toBe(1);
  for (const [path, rule] of REFUSED) {
    expect(output, output).toMatch(new RegExp(`^[^\\n]*${path}:[^\\n]*${rule}`, "m"));
  }
});

test(".oxlintrc.json admits clocks, JSON and Deno where they belong", async () => {
  using scratch = makeScratch({
    "internal/runtime/clock.ts":
      "export const now = () => Date.now();\nexport const get = (url: string) => fetch(url);\n",
    "internal/client/json.ts": "export const text = (value: unknown) => JSON.stringify(value);\n",
    "internal/crypto/hash.ts":
      'import { hash } from "node:crypto";\nexport const digest = (text: string) => hash("sha256", text);\n',
  });
  const { code, output } = await scratch.tool(OXLINT, "--type-aware");
  expect(output).toContain("Found 0 warnings and 0 errors");
  expect(code).toBe(0);
});
