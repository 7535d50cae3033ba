/** All agents, each below who answers for it, with budget, spending and suspensions. */
import { agentTrees } from "../agent_tree.ts";
import { markup } from "../html.ts";
import { definePage } from "../page.ts";
import { accountLink, nothingYet } from "../words.ts";
import { agentList, agentObjects } from "./_agents.ts";

export const page = definePage({
  path: "/agents",
  section: "/agents",
  async make(context) {
    const { more, ...objects } = await agentObjects(context);
    const trees = [...agentTrees(objects)];
    const list = trees.map(([principal, nodes]) =>
      markup`<section class="card"><h2>Under ${accountLink(context, principal)}</h2>
<div class="tree">${agentList(context, nodes)}</div></section>`
    );
    const main = markup`<div id="agents" data-live>${
      trees.length === 0
        ? nothingYet(
          context,
          "There are no agents on this chain.",
          "sion agent create alice coder --budget 10",
          "makes one with a budget of 10 USD",
        )
        : markup`<p>Each agent stands below who answers for it. A suspension stops it and all below it at once.</p>
${
          more &&
          markup`<div class="notice"><p>There are more agents, charters or allotments than are shown here.</p></div>`
        }
${list}`
    }</div>`;
    return { title: "Agents", main };
  },
});
