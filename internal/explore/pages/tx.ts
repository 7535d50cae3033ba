/** A transaction: its sentence, then its proof, then all of it. */
import { isHex64, SionError } from "#internal/core/mod.ts";
import type { TransactionReading } from "#internal/client/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, command, idLink, prose, raw, typed, usd, wholeId } from "../words.ts";
import { proofLine } from "./_proof.ts";

type Executed = Extract<TransactionReading, { readonly state: "executed" }>;

/** What a transaction without a receipt may come to. */
const STATES: { readonly [state in Exclude<TransactionReading["state"], "executed">]: string } = {
  unknown: "The node knows no transaction of this digest.",
  pending: "It was handed in and is not executed yet. It may still be, or expire.",
  final: "It is final: a quorum has confirmed it, and the next Pulses execute it.",
  expired: "It was not executed by its last Pulse, and never will be. It cost nothing.",
};

export const page = definePage({
  path: "/tx/:",
  async make(context) {
    const { param: digest, client, signal } = context;
    if (!isHex64(digest)) {
      throw new SionError("argument", `${digest} is no digest: give its 64 hex digits`);
    }
    const reading = await client.readTransaction(digest, { signal });
    const title = `Transaction ${digest.slice(0, 8)}`;
    if (reading.state === "executed") {
      return { title, main: executed(context, reading) };
    }
    return {
      title,
      status: reading.state === "unknown" ? 404 : 200,
      main: markup`<div id="tx" data-live>
<p class="sentence">${STATES[reading.state]}</p>
<h2>Proof</h2>
<p><span class="warn">not proven</span> Nothing is to be proven before it is executed.</p>
<p>Next: ${typed(command(context, `sion receipt ${digest} --wait`))} waits for it.</p>
<h2>Digest</h2>
<p>${wholeId(digest)}</p>
</div>`,
    };
  },
});

function executed(context: PageContext, reading: Executed): Html {
  const { receipt, outcome, proof, unit } = reading;
  const { account, pulse, kind, sequence, made, events } = receipt;
  return markup`<p class="sentence">${accountLink(context, account)}: ${said(outcome)}</p>
${unit !== undefined && markup`<p class="soft">Signed was: ${unit.intent}</p>`}
<h2>Proof</h2>
<div id="proof" data-live>${proofLine("The receipt", "receipts", proof)}</div>
<h2>All of it</h2>
<dl>
<dt>digest</dt><dd>${wholeId(reading.digest)}</dd>
<dt>Pulse</dt><dd><a href="/pulse/${pulse}">${pulse}</a></dd>
<dt>account</dt><dd>${accountLink(context, account)}, sequence ${sequence}</dd>
<dt>kind</dt><dd>${kind}</dd>
<dt>fee</dt><dd>${usd(receipt.fee)}</dd>
<dt>unit</dt><dd>${wholeId(receipt.unit)}${
    unit !== undefined && unit.members > 1 &&
    `, transaction ${receipt.index + 1} of ${unit.members}`
  }</dd>
${
    made.length > 0 &&
    markup`<dt>made</dt><dd>${made.map((id) => markup`${idLink("object", id)} `)}</dd>`
  }
</dl>
${
    events.length > 0 && markup`<h3>What happened</h3><ul>${
      events.map((event) =>
        markup`<li>${
          prose(context.ledger.event(event, context.names) ?? "an event of another version")
        }</li>`
      )
    }</ul>`
  }
${raw("Raw: the receipt", receipt)}
${
    unit === undefined
      ? markup`<p class="soft">The node does not keep its bytes any more.</p>`
      : markup`${raw("Raw: what was asked for", unit.body ?? null)}
<details><summary>Raw: the signed bytes, hex</summary><pre tabindex="0">${unit.hex}</pre></details>`
  }`;
}

/** An outcome, whose first word says how it went. */
function said(outcome: string): Html {
  const failed = /^Failed\b/.exec(outcome)?.[0];
  return failed === undefined
    ? markup`${outcome}`
    : markup`<span class="bad">${failed}</span>${outcome.slice(failed.length)}`;
}
