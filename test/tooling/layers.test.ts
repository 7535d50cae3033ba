import { expect, test } from "vitest";
import { makeScratch } from "./_scratch.ts";

const CRUISER = "dependency-cruiser/bin/dependency-cruiser.mjs";

/** Files that all units may have; the forbidden ones import these. */
const GOOD = {
  "internal/core/mod.ts": `export const core = 1;\n`,
  "internal/core/bytes.ts": `export const bytes = 1;\n`,
  "internal/ledger/mod.ts": `import { core } from "#internal/core/mod.ts";
export const ledger = core;\n`,
  "internal/ledger/tx/mod.ts": `import { pay } from "./pay.ts";\nexport const kinds = [pay];\n`,
  "internal/ledger/tx/pay.ts":
    `import { shared } from "./_shared.ts";\nexport const pay = shared;\n`,
  "internal/ledger/tx/_shared.ts": `export const shared = 1;\n`,
  "internal/client/mod.ts": `import * as z from "zod";\nexport const client = z;\n`,
  "internal/cli/commands/pay.ts": `export const load = () => import("./pay_run.ts");\n`,
  "internal/cli/commands/pay_run.ts": `export const run = 1;\n`,
  "cmd/sion/main.ts": `import { client } from "#internal/client/mod.ts";\nexport default client;\n`,
  "test/made.ts": `export const made = 1;\n`,
};

/** Rule that must be broken -> the file that breaks it and what it says. */
const FORBIDDEN: Readonly<Record<string, readonly [path: string, text: string]>> = {
  "layer-core": [
    "internal/core/up.ts",
    `import { ledger } from "#internal/ledger/mod.ts";\nexport const up = ledger;\n`,
  ],
  "layer-node": [
    "internal/node/sibling.ts",
    `import { client } from "#internal/client/mod.ts";\nexport const sibling = client;\n`,
  ],
  "layer-rpc": [
    "internal/rpc/types.ts",
    `import type { client } from "#internal/client/mod.ts";\nexport type Client = typeof client;\n`,
  ],
  "unknown-unit": [
    "internal/misc/mod.ts",
    `import { core } from "#internal/core/mod.ts";\nexport const misc = core;\n`,
  ],
  "door": [
    "internal/ledger/door.ts",
    `import { bytes } from "#internal/core/bytes.ts";\nexport const door = bytes;\n`,
  ],
  "door-from-outside": [
    "cmd/sion/door.ts",
    `import { bytes } from "#internal/core/bytes.ts";\nexport const door = bytes;\n`,
  ],
  "product-imports-product": [
    "internal/core/tested.ts",
    `import { made } from "../../test/made.ts";\nexport const tested = made;\n`,
  ],
  "nothing-imports-a-program": [
    "internal/core/program.ts",
    `import main from "../../cmd/sion/main.ts";\nexport const program = main;\n`,
  ],
  "programs-apart": [
    "cmd/sion-mcp/main.ts",
    `import main from "../sion/main.ts";\nexport default main;\n`,
  ],
  "variant-internal-ledger-tx": [
    "internal/ledger/tx/paying.ts",
    `import { pay } from "./pay.ts";\nexport const paying = pay;\n`,
  ],
  "variant-internal-cli-commands": [
    "internal/cli/commands/other_run.ts",
    `import { run } from "./pay_run.ts";\nexport const other = run;\n`,
  ],
  "no-dev-dependency": [
    "internal/client/dev.ts",
    `import * as check from "fast-check";\nexport const dev = check;\n`,
  ],
  "pure-unit": [
    "internal/consensus/disk.ts",
    `import { readFileSync } from "node:fs";\nexport const disk = readFileSync;\n`,
  ],
  "hashes-from-crypto": [
    "internal/ledger/hash.ts",
    `import { hash } from "node:crypto";\nexport const digest = hash;\n`,
  ],
  "no-cycle": [
    "internal/core/cycle_back.ts",
    `import { cycle } from "./cycle.ts";\nexport const loop = () => cycle;\n`,
  ],
  "no-unresolved": [
    "internal/core/missing.ts",
    `import { gone } from "./gone.ts";\nexport const missing = gone;\n`,
  ],
};

test(".dependency-cruiser.mjs admits imports to the left, through doors, within a unit", async () => {
  using scratch = makeScratch(GOOD);
  const { code, output } = await scratch.tool(CRUISER, "cmd", "internal", "test");
  expect(output).toContain("no dependency violations found");
  expect(code).toBe(0);
});

test(".dependency-cruiser.mjs catches one forbidden import of each kind", async () => {
  using scratch = makeScratch({
    ...GOOD,
    ...Object.fromEntries(Object.values(FORBIDDEN)),
    "internal/core/cycle.ts":
      `import { loop } from "./cycle_back.ts";\nexport const cycle = () => loop;\n`,
  });
  const { code, output } = await scratch.tool(CRUISER, "cmd", "internal", "test");
  expect(code).toBeGreaterThan(0);
  for (const [rule, [path]] of Object.entries(FORBIDDEN)) {
    expect(output, output).toMatch(new RegExp(`${rule}: ${path} `));
  }
});

test("dependency-cruiser sees TypeScript at all, which it does not with TypeScript 7", async () => {
  using scratch = makeScratch(GOOD);
  const { output } = await scratch.tool(CRUISER, "internal");
  expect(output).toMatch(/\(10 modules, 5 dependencies/);
});
