/**
 * `scripts/conformance server [--json]`: the official suite of MCP against our protocol core, over the
 * bridge of `test/conformance`. With `--json` one line, `{"2025-11-25": {"passed", "total"}, …}`, of the
 * scenarios that the suite scores. Exit code 1 when one of them fails, 2 for bad usage.
 */
import process from "node:process";
import { runSuite } from "../test/conformance/_suite.ts";
import { readWords } from "./_words.ts";

const { options, rest: [side] } = readWords({
  usage: "scripts/conformance server [--json]",
  about: ["The official MCP suite against the protocol core, for each revision that it has."],
  options: { "--json": "one line of JSON: how many of the scored scenarios passed" },
  most: 1,
});

if (side !== "server") {
  console.error("error: say which side to test: scripts/conformance server");
  process.exit(2);
}
const found = await runSuite();
for (const [revision, { scenarios }] of Object.entries(found)) {
  for (const { name, faults } of scenarios) {
    for (const fault of faults) console.error(`${revision} ${name}: ${fault}`);
  }
}
const counts = Object.fromEntries(
  Object.entries(found).map(([revision, { passed, total }]) => [revision, { passed, total }]),
);
if (options.has("--json")) console.log(JSON.stringify(counts));
else {for (const [revision, { passed, total }] of Object.entries(counts)) {
    console.log(`${revision}: ${passed} of ${total} scored scenarios passed`);
  }}
process.exitCode = Object.values(counts).every(({ passed, total }) => passed === total) ? 0 : 1;
