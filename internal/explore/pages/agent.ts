/** One agent: who is above it, how it stands, what it may pay, what is left, who is below it. */
import { isHex64, SionError } from "#internal/core/mod.ts";
import { termsOf, textOf } from "#internal/rpc/mod.ts";
import type { AgentNode, AgentObjects } from "../agent_tree.ts";
import { agentTrees } from "../agent_tree.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, calledWith, command, idLink, raw, typed, usd, wholeId } from "../words.ts";
import { agentList, agentObjects, budgetText, standingText } from "./_agents.ts";
import { proofLine } from "./_proof.ts";

export const page = definePage({
  path: "/agent/:",
  section: "/agents",
  async make(context) {
    const { param: id, client, signal } = context;
    if (!isHex64(id)) {
      throw new SionError("argument", `${id} is no agent's id: give its 64 hex digits`);
    }
    const [objects, { proof, object }] = await Promise.all([
      agentObjects(context),
      client.readProven(id, { signal }),
    ]);
    const found = lineTo([...agentTrees(objects).values()].flat(), id);
    const node = found?.at(-1);
    if (found === undefined || node === undefined) {
      throw new SionError("not-found", `the ledger has no agent ${id.slice(0, 8)}: check the id`);
    }
    const { agent } = node;
    const { principal, account, keyless } = agent.object;
    const above = found.slice(0, -1);
    const main = markup`<p>${wholeId(id)}</p>
<div id="agent" data-live>
<p class="sentence">${standingText(context, node)}</p>
<p>Under ${accountLink(context, textOf(principal))}${
      above.map(({ agent: one }) =>
        markup`, <a href="/agent/${one.id}">${textOf(one.object["name"])}</a>`
      )
    }. It acts with ${accountLink(context, textOf(account))}${
      keyless === true && ", which who is above it signs for"
    }.</p>
<h2>Money</h2>
<p>${budgetText(node.budget, node.standing)}</p>
${charters(context, objects, node)}
${
      node.below.length > 0 &&
      markup`<h2>Below it</h2><div class="tree">${agentList(context, node.below)}</div>`
    }
<h2>Proof</h2>
${proofLine("What it is and whether it is suspended", "state", proof)}
</div>
<p class="soft">In a terminal: ${typed(command(context, `sion agent show ${id}`))}</p>
${raw("Raw", object?.members ?? agent.object)}`;
    return { title: `Agent ${textOf(agent.object["name"])}`, main };
  },
});

/** The agents from the top to one. */
function lineTo(nodes: readonly AgentNode[], id: string): readonly AgentNode[] | undefined {
  for (const node of nodes) {
    if (node.agent.id === id) return [node];
    const line = lineTo(node.below, id);
    if (line !== undefined) return [node, ...line];
  }
  return undefined;
}

function charters(
  context: PageContext,
  objects: AgentObjects,
  { agent, standing }: AgentNode,
): Html {
  const own = objects.charters.filter(({ object }) => object["agent"] === agent.id);
  if (own.length === 0) {
    return markup`<p class="soft">It has no charter, so it may pay nothing.</p>`;
  }
  return markup`<ul class="rows">${
    own.map((charter) => {
      const allotments = objects.allotments.filter(({ object }) =>
        object["charter"] === charter.id
      );
      return markup`<li>Charter ${idLink("object", charter.id)}: ${
        termsOf(charter, calledWith(context), { standing, allotments })
      }<ul>${
        allotments.map(({ id, object }) =>
          markup`<li class="soft">allotment ${idLink("object", id)} of ${
            accountLink(context, textOf(object["giver"]))
          }: ${usd(object["balance"])} left, ${usd(object["spent"])} spent</li>`
        )
      }</ul></li>`;
    })
  }</ul>`;
}
