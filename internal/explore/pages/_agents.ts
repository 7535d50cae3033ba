/** Agents as the tree of all and the page of one show them. */
import type { JsonValue } from "#internal/core/mod.ts";
import { textOf } from "#internal/rpc/mod.ts";
import type { AgentNode, AgentObjects, Budget } from "../agent_tree.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { accountLink, idLink, usd } from "../words.ts";
import { listedObjects } from "./_objects.ts";

/** Agents, charters and allotments that are looked at, of each. */
const MOST = 2_000;

/** What the tree is made from, and whether that is all there is. */
export async function agentObjects(
  context: PageContext,
): Promise<AgentObjects & { readonly more: boolean }> {
  const [identities, charters, allotments] = await Promise.all(
    (["identity", "charter", "allotment"] as const).map((kind) =>
      listedObjects(context, kind, MOST)
    ),
  ) as [Listed, Listed, Listed];
  return {
    identities: identities.objects,
    charters: charters.objects,
    allotments: allotments.objects,
    more: identities.more || charters.more || allotments.more,
  };
}

type Listed = Awaited<ReturnType<typeof listedObjects>>;

/** Agents and what is below them, as lists within lists. */
export function agentList(context: PageContext, nodes: readonly AgentNode[]): Html {
  return markup`<ul>${
    nodes.map((node) =>
      markup`<li>${agentLine(context, node)}${
        node.below.length > 0 && agentList(context, node.below)
      }</li>`
    )
  }</ul>`;
}

function agentLine(context: PageContext, node: AgentNode): Html {
  const { agent } = node;
  return markup`<a href="/agent/${agent.id}"><strong>${textOf(agent.object["name"])}</strong></a>
${idLink("agent", agent.id)} ${standingText(context, node)}
${budgetText(node.budget, node.standing)}`;
}

/** How an agent stands and by whose word. */
export function standingText(context: PageContext, { agent, standing, isOwn }: AgentNode): Html {
  if (standing === "good") return markup`<span class="good">in good standing</span>`;
  if (!isOwn) return markup`<span class="bad">${standing}</span> with an agent above it`;
  const { suspensions, revoked } = agent.object as {
    readonly suspensions?: readonly { readonly by?: JsonValue }[];
    readonly revoked?: { readonly by?: JsonValue } | null;
  };
  const by = standing === "revoked" ? [revoked?.by] : (suspensions ?? []).map(({ by }) => by);
  const who = by.filter((one): one is string => typeof one === "string");
  return markup`<span class="bad">${standing}</span>${
    who.length > 0 && markup` by ${
      who.map((one, at) => markup`${at > 0 && " and by "}${accountLink(context, one)}`)
    }`
  }${standing === "revoked" && ", for good"}`;
}

/** What is left of a budget, what was spent, what was passed on. */
export function budgetText(budget: Budget, standing: string): Html {
  const { left, spent, passedOn } = budget;
  const all = left + spent + passedOn;
  if (all === 0n) return markup`<br><span class="soft">no money was put under it</span>`;
  const permille = Number(left * 1_000n / all);
  return markup`<svg class="bar-of" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect
 class="all" width="1000" height="10"/><rect class="${
    standing === "good" ? "left" : "stopped"
  }" width="${permille}" height="10"/></svg>
<span class="soft"><strong>${usd(left)}</strong> left of ${usd(all)} · ${usd(spent)} spent${
    passedOn > 0n && ` · ${usd(passedOn)} passed on to agents below`
  }</span>`;
}
