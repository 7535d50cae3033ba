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

/** Transactions, one an item, with who acted. */
export function transactionRows(context: PageContext, { receipts, count }: SeenPulse): Html {
  if (count === 0) return markup`<p class="soft">None in this one.</p>`;
  const rows = receipts.map((receipt) =>
    markup`<li>${accountLink(context, receipt.account)}: ${saidOf(context, receipt)}
<span class="soft">· ${
      receipt.outcome.kind === "void" ? "void" : idLink("tx", receipt.digest)
    } · fee ${formatUsdGrouped(receipt.fee)} USD</span></li>`
  );
  const more = count - receipts.length;
  return markup`<ul class="rows">${rows}</ul>${
    more > 0 && markup`<p class="soft">${counted(more, "more transaction")}: too many to show.</p>`
  }`;
}
