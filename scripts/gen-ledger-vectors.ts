/**
 * Writes `fixtures/ledger/<kind>.json` for every transaction kind: run it after a kind was added,
 * and read the difference when a file that existed changes, since that is a change of the protocol.
 *
 * `node scripts/gen-ledger-vectors.ts`
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringifyJson } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { vectorsOf } from "../test/ledger/_vectors.ts";
import { ROOT } from "./_project.ts";

const folder = join(ROOT, "fixtures", "ledger");
mkdirSync(folder, { recursive: true });
for (const { name, tag } of createLedger().kinds) {
  writeFileSync(join(folder, `${name}.json`), `${stringifyJson(vectorsOf(name, tag), 2)}\n`);
}
