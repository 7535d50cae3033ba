/** The first page: the newest Pulse with its nine checks, and those before it, as they come. */
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import type { SeenPulse } from "../watch.ts";
import { age, command, counted } from "../words.ts";
import { checkList, transactionRows, verdict } from "./_checks.ts";

export const page = definePage({
  path: "/",
  section: "/",
  async make(context) {
    const { watch, client, signal } = context;
    const status = await client.status({ signal });
    const [newest, ...before] = watch.recent;
    const main = markup`<p>Chain <strong>${status.chain_id}</strong>, identity
<span class="id">${status.chain}</span></p>
<div id="pulses" data-live>
${newest === undefined ? firstComes(context, status.pulse) : newestPulse(context, newest)}
${
      before.length > 0 && markup`
        <h2>Before it</h2>
        <ul class="rows">${before.map((seen) => row(seen, context.nowMs))}</ul>
      `
    }
</div>`;
    return { title: "Pulses as they come", main };
  },
});

function newestPulse(context: PageContext, newest: SeenPulse): Html {
  return markup`<section class="card" aria-labelledby="newest">
<h2 id="newest"><a href="/pulse/${newest.number}">Pulse ${newest.number}</a></h2>
<p>${verdict(newest)} <span class="soft">· verified on this machine as a light client, ${
    age(newest.atMs, context.nowMs)
  }</span></p>
${checkList(newest)}
<h3>Transactions</h3>
${transactionRows(context, newest)}
</section>`;
}

function row(seen: SeenPulse, nowMs: number): Html {
  return markup`<li><a href="/pulse/${seen.number}">Pulse ${seen.number}</a> ${verdict(seen)}
<span class="soft">· ${counted(seen.count, "transaction")} · ${age(seen.atMs, nowMs)}</span></li>`;
}

function firstComes(context: PageContext, pulse: number): Html {
  return pulse === 0
    ? markup`
      <div class="card">
        <p>There is no Pulse yet: the first one comes with the first transaction, or by
      itself in some seconds.</p>
        <p>Next: <code>${command(context, "sion pay alice bob 1.5")}</code> pays bob.</p>
      </div>
    `
    : markup`
      <div class="card">
        <p>The newest Pulse is being verified; it is shown here in a moment.</p>
      </div>
    `;
}
