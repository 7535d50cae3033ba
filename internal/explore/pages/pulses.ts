/** The first page: the newest Pulse with its nine checks, and those before it, as they come. */
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import type { SeenPulse } from "../watch.ts";
import { age, command, counted, typed } from "../words.ts";
import { checkList, transactionLine, transactionRows, verdict } from "./_checks.ts";

/** Transactions of the newest Pulse that are shown, and of each one before it. */
const MAX_SHOWN = 10;
const MAX_TOLD = 2;
/** Items of the list of those before the newest. */
const MAX_ITEMS = 20;

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
      newest !== undefined && before.length > 0 && markup`
        <h2>Before it</h2>
        <ul class="rows">${rows(context, newest, before)}</ul>
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
<h3>Transactions</h3>
${transactionRows(context, newest, MAX_SHOWN)}
<h3>Nine checks</h3>
${checkList(newest)}
</section>`;
}

/** The Pulses before the newest; those in a row in which nothing happened are one item. */
function rows(context: PageContext, newest: SeenPulse, before: readonly SeenPulse[]): Html[] {
  const items: Html[] = [];
  let above = newest.number;
  for (const run of runsOf(before).slice(0, MAX_ITEMS)) {
    const [first, last] = [run[0], run.at(-1)] as [SeenPulse, SeenPulse];
    const over = passedOver(first.number + 1, above - 1);
    if (over !== undefined) items.push(over);
    items.push(run.length === 1 ? row(context, first) : quietRow(first, last));
    above = last.number;
  }
  return items;
}

/** Pulses one by one, but those together that follow each other, hold, and are empty. */
function runsOf(seen: readonly SeenPulse[]): SeenPulse[][] {
  const runs: SeenPulse[][] = [];
  const isQuiet = ({ verified, count }: SeenPulse): boolean => verified && count === 0;
  for (const one of seen) {
    const before = runs.at(-1)?.at(-1);
    const goesOn = before !== undefined && isQuiet(before) && isQuiet(one) &&
      one.number === before.number - 1;
    if (goesOn) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  return runs;
}

function quietRow({ number: last }: SeenPulse, { number: first }: SeenPulse): Html {
  return markup`<li><a href="/pulse/${first}">Pulse ${first}</a> to
<a href="/pulse/${last}">Pulse ${last}</a> <span class="good">✓ verified</span>
<span class="soft">· no transactions</span></li>`;
}

function passedOver(first: number, last: number): Html | undefined {
  if (first > last) return undefined;
  const pulse = (number: number): Html => markup`<a href="/pulse/${number}">Pulse ${number}</a>`;
  const which = first === last
    ? markup`${pulse(first)} was`
    : markup`${pulse(first)} to ${pulse(last)} were`;
  return markup`<li class="soft">${which} not looked at: each is verified when its page is opened.</li>`;
}

function row(context: PageContext, seen: SeenPulse): Html {
  const { number, count, receipts } = seen;
  const shown = receipts.slice(0, MAX_TOLD);
  const more = count - shown.length;
  return markup`<li><a href="/pulse/${number}">Pulse ${number}</a> ${
    seen.verified ? markup`<span class="good">✓ verified</span>` : verdict(seen)
  }
<span class="soft">· ${count === 0 ? "no transactions" : counted(count, "transaction")}</span>${
    shown.length > 0 && markup`<ul class="told">${
      shown.map((receipt) => markup`<li>${transactionLine(context, receipt)}</li>`)
    }${more > 0 && markup`<li class="soft">and ${more} more</li>`}</ul>`
  }</li>`;
}

function firstComes(context: PageContext, pulse: number): Html {
  return pulse === 0
    ? markup`
      <div class="card">
        <p>There is no Pulse yet: the first one comes with the first transaction, or by
      itself in some seconds.</p>
        <p>Next: ${typed(command(context, "sion pay alice bob 1.5"))} pays bob.</p>
      </div>
    `
    : markup`
      <div class="card">
        <p>The newest Pulse is being verified; it is shown here in a moment.</p>
      </div>
    `;
}
