/** The nine checks of a Pulse, and the transactions that the fifth of them is of. */
import { formatUsdGrouped } from "#internal/core/mod.ts";
import type { Receipt } from "#internal/ledger/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import type { SeenPulse } from "../watch.ts";
import { accountLink, counted, idLink } from "../words.ts";

/** The report of a Pulse, a check a line. */
export function checkList({ report }: Pick<SeenPulse, "report">): Html {
  const items = report.map((line) => {
    const [, text, mark] = /^(.*?)(?: ([✓✗]))?$/s.exec(line) as unknown as [
      string,
      string,
      string?,
    ];
    if (mark === "✓") {
      return markup`<li><span class="mark good" aria-hidden="true">✓</span><span class="heard">holds: </span>${text}</li>`;
    }
    // The second line only states facts, as long as it holds.
    const isFact = mark === undefined && /^Pulse \d+ header /.test(text);
    return isFact
      ? markup`<li><span class="mark soft" aria-hidden="true">•</span>${text}</li>`
      : markup`<li><span class="mark bad" aria-hidden="true">✗</span><span class="bad">does not hold: </span>${text}</li>`;
  });
  return markup`<ol class="checks">${items}</ol>`;
}

/** Whether a Pulse is verified, in words and in colour. */
export function verdict({ verified }: Pick<SeenPulse, "verified">): Html {
  return verified
    ? markup`<span class="good">✓ all nine checks hold</span>`
    : markup`<span class="bad">✗ a check does not hold</span>`;
}

/** What a transaction did, of its receipt alone. */
export function saidOf({ ledger, names }: PageContext, { outcome, events, kind }: Receipt): Html {
  if (outcome.kind === "failed") {
    return markup`<span class="bad">failed</span> (${outcome.reason})`;
  }
  if (outcome.kind === "void") return markup`a slot was settled without a transaction`;
  const told = events.flatMap((event) => ledger.event(event, names) ?? []);
  return markup`${told.length === 0 ? `${kind} executed` : told.join("; ")}`;
}

/** Who acted and what came of it. */
export function transactionLine(context: PageContext, receipt: Receipt): Html {
  return markup`${accountLink(context, receipt.account)}: ${saidOf(context, receipt)}
<span class="soft">· ${
    receipt.outcome.kind === "void" ? "void" : idLink("tx", receipt.digest)
  }</span>`;
}

/** Transactions, one an item, at most so many. */
export function transactionRows(context: PageContext, seen: SeenPulse, most = Infinity): Html {
  const { number, receipts, count } = seen;
  if (count === 0) return markup`<p class="soft">None in this one.</p>`;
  const shown = receipts.slice(0, most);
  const rows = shown.map((receipt) =>
    markup`<li>${transactionLine(context, receipt)}
<span class="soft">· fee ${formatUsdGrouped(receipt.fee)} USD</span></li>`
  );
  return markup`<ul class="rows">${rows}</ul>${rest(number, receipts.length - shown.length)}${
    count > receipts.length &&
    markup`<p class="soft">${
      counted(count - receipts.length, "more transaction")
    }: too many to show.</p>`
  }`;
}

/** Those that are on the page of the Pulse. */
function rest(pulse: number, more: number): Html | false {
  return more > 0 &&
    markup`<p><a href="/pulse/${pulse}">${counted(more, "more transaction")}</a></p>`;
}
