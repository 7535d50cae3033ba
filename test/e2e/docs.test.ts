/** The README and the guides: their commands run, and print what the pages show. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/_project.ts";
import { recordPage, withoutChance } from "../../scripts/record_docs/_recorder.ts";
import { pagesWithCommands } from "../../scripts/record_docs/recorded.ts";
import { needs } from "../parts.ts";

const paths = pagesWithCommands().map(({ path }) => path);

it("there is a guide for each first step, and pages under the names they are known by [L-007 L-195]", () => {
  expect(paths).toEqual([
    "README.md",
    "docs/guides/agent-budgets.md",
    "docs/guides/batched-authorization.md",
    "docs/guides/charging-for-an-api.md",
    "docs/guides/connect-an-ai-agent-over-mcp.md",
    "docs/guides/first-payment.md",
    "docs/guides/hooks.md",
    "docs/guides/keeping-files.md",
    "docs/guides/looking-at-a-chain.md",
    "docs/guides/memory-for-robots.md",
    "docs/guides/running-a-validator.md",
    "docs/guides/staking.md",
    "docs/guides/task-charters-from-the-command-line.md",
    "docs/guides/the-decision-rule.md",
    "docs/guides/the-web-for-agents.md",
    "docs/guides/what-a-skill-may-do.md",
    "docs/guides/what-models-may-cost.md",
    "docs/guides/your-agent.md",
  ]);
});

/** Pages whose agents have a shell. */
const SANDBOXED = ["docs/guides/what-a-skill-may-do.md"];
const recorded = needs("bubblewrap", "the guides in which an agent has a shell")
  ? paths
  : paths.filter((path) => !SANDBOXED.includes(path));

it.each(recorded)("the commands of %s print what it shows [A-012 L-010 L-396]", async (path) => {
  const page = readFileSync(join(ROOT, path), "utf8");
  const now = await recordPage(page, ["--insecure-signatures"]);
  expect(withoutChance(now)).toBe(withoutChance(page));
});
