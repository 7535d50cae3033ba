/** docs/threat-model.md. */
import type { Assumption } from "#internal/core/mod.ts";
import { ASSUMPTIONS } from "#internal/core/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY } from "./_page.ts";

const BEFORE =
  `For whoever decides what an agent may be trusted with. At the end you can say what sion protects, from
whom, and what that rests on.

## What is protected, and from whom

| what | from whom | by what |
|---|---|---|
| money beyond a charter | the agent, its model, whoever fools them, the machine it runs on | the ledger: payees, limits, rate, expiry and suspension are checked by every validator ([budgets](guides/agent-budgets.md)) |
| money within a charter, and everything else that is sent out | whoever writes what an agent reads: pages, mail, other agents, results of tools | levels, taint and provenance, confidential files, quarantine ([rules](agent-rules.md)) |
| files outside the workspace | the model, and the code it writes | paths followed component by component; bubblewrap or a container around commands ([decision 0037](decisions/0037-sandbox.md)) |
| keys of models and tools | logs, transcripts, the model | encryption, and cutting out what is kept ([decision 0027](decisions/0027-secrets.md)) |
| being asked once, for what then runs | a model that says one thing and does another | the question shows the call itself; what changed since asks anew |
| nothing done twice | crashes, retries, a model that repeats itself | the session's log and journal ([decision 0005](decisions/0005-agent-sessions.md)) |
| what the ledger says | the node that is asked | \`--chain\`, \`sion verify\`, \`sion light\` ([protocol](protocol.md)) |

**Against a model that wants harm** only the first three rows and the levels stand: it needs no fooling. An agent at L3 with a shell
can ruin its workspace, and one at L6 can spend its charter.

**Not protected from**: whoever controls the account that runs sion (\`agent:same-user\`), and more than a third of the
validators' weight.

## Named assumptions

What a protection rests on that sion cannot make true by itself has a name. Messages and pages that speak of the protection cite it.
`;

/** The threat model: what is protected, and every named assumption. */
export const threatModelPage: Page = {
  path: "docs/threat-model.md",
  text() {
    const entries = Object.entries(ASSUMPTIONS).map(([name, one]) => entry(name, one));
    return Promise.resolve(["# Threat model", MADE_BY, "", BEFORE, ...entries].join("\n"));
  },
};

function entry(name: string, { holds, protects, breaks, less, notYet }: Assumption): string {
  return [
    `### \`${name}\``,
    "",
    ...(notYet === undefined ? [] : [`- **Not yet:** ${notYet}.`]),
    `- **Has to hold:** ${holds}.`,
    `- **About:** ${protects}.`,
    `- **Would break it:** ${breaks}.`,
    `- **Less of it:** ${less}.`,
    "",
  ].join("\n");
}
