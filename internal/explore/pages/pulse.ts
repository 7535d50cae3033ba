/** One Pulse: its nine checks and its transactions. */
import { SionError } from "#internal/core/mod.ts";
import { markup } from "../html.ts";
import { definePage } from "../page.ts";
import { age } from "../words.ts";
import { checkList, transactionRows, verdict } from "./_checks.ts";

export const page = definePage({
  path: "/pulse/:",
  section: "/",
  async make(context) {
    const { param, watch, client, nowMs, signal } = context;
    if (!/^[1-9]\d{0,14}$/.test(param)) {
      throw new SionError("argument", `${param} is no Pulse: give its number, from 1 on`);
    }
    const number = Number(param);
    const { certified_pulse: certified } = await client.status({ signal });
    if (number > certified) {
      throw new SionError(
        "not-found",
        `Pulse ${number} is not certified yet, Pulse ${certified} is the newest: look again later`,
      );
    }
    const seen = await watch.verify(number);
    const main = markup`
      <nav class="beside" aria-label="Pulses beside it">
        <ul>${
      number > 1 &&
      markup`<li><a href="/pulse/${number - 1}">← Pulse ${number - 1}</a></li>`
    }${
      number < certified &&
      markup`<li><a href="/pulse/${number + 1}">Pulse ${number + 1} →</a></li>`
    }</ul>
      </nav>
      <p>${verdict(seen)} <span class="soft">· verified on this machine as a light client, ${
      age(
        seen.atMs,
        nowMs,
      )
    } · <a href="#checks">the checks</a></span></p>
      ${
      !seen.verified && markup`
        <div class="notice">
          <p>Nodes keep what a Pulse published for 192 Pulses. Of an
        older one only chain, header, certificate and receipts can be checked.</p>
        </div>
      `
    }
      <h2>Transactions</h2>
      ${transactionRows(context, seen)}
      <h2 id="checks">Nine checks</h2>
      ${checkList(seen)}
    `;
    return { title: `Pulse ${number}`, main };
  },
});
