/** Who validates, with which stake. */
import { formatUsdGrouped, isHex64, parseUsd } from "#internal/core/mod.ts";
import type { PoolValue } from "#internal/client/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import { definePage } from "../page.ts";
import { counted, grouped, idLink } from "../words.ts";

export const page = definePage({
  path: "/validators",
  section: "/validators",
  async make({ client, signal }) {
    const { pools, epoch, epochEnd } = await client.stake.pools({ signal });
    const total = pools.reduce((sum, { weight }) => sum + BigInt(weight), 0n);
    const main = markup`
      <p>${counted(pools.length, "validator")}, weight ${grouped(total)} in all. What more
      than two thirds of the weight signs is certified. Epoch ${epoch}, ${
      epochEnd === null ? "without end" : `ending after Pulse ${epochEnd}`
    }.</p>
      <div id="validators" data-live>
        <ul class="rows">${[...pools].sort(byWeight).map((pool) => row(pool, total))}</ul>
      </div>
    `;
    return { title: "Validators and stake", main };
  },
});

function byWeight(a: PoolValue, b: PoolValue): number {
  const difference = BigInt(b.weight) - BigInt(a.weight);
  return difference > 0n ? 1 : difference < 0n ? -1 : a.validator < b.validator ? -1 : 1;
}

function row(pool: PoolValue, total: bigint): Html {
  const weight = BigInt(pool.weight);
  const permille = total === 0n ? 0 : Number(weight * 1_000n / total);
  const operator = isHex64(pool.operator)
    ? idLink("account", pool.operator)
    : markup`<strong>${pool.operator}</strong>`;
  return markup`<li>Validator ${idLink("object", pool.validator)} of ${operator}:
<span class="${pool.status === "active" ? "good" : "warn"}">${pool.status}</span>
<svg class="bar-of" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="1000" height="10"/><rect class="left" width="${permille}" height="10"/></svg>
<span class="soft">weight ${grouped(weight)}, ${permille / 10}% · own stake ${
    money(pool.own)
  } · delegated
${money(pool.delegated)}, of which ${
    money(pool.earning)
  } earns · commission ${pool.commission}</span></li>`;
}

function money(decimal: string): string {
  return `${formatUsdGrouped(parseUsd(decimal, { allowZero: true }))} USD`;
}
