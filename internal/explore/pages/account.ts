/** An account: what it has, with its proof, what it stands for, what it did of late. */
import type { JsonValue } from "#internal/core/mod.ts";
import { isHex64, SionError } from "#internal/core/mod.ts";
import { accountKey } from "#internal/ledger/mod.ts";
import { subjectOf, textOf } from "#internal/rpc/mod.ts";
import type { ToldObject } from "#internal/rpc/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { calledWith, command, idLink, raw, typed, usd, wholeId } from "../words.ts";
import { saidOf } from "./_checks.ts";
import { newestEvents } from "./_events.ts";
import { proofLine } from "./_proof.ts";

/** Pulses in which is looked for what it did. */
const RECENT_PULSES = 200;
/** Transactions and events that are shown, of each at most. */
const MAX_SHOWN = 20;
/** Things of one kind that are listed. */
const MAX_LISTED = 25;

export const page = definePage({
  path: "/account/:",
  async make(context) {
    const { param, client, names, signal } = context;
    const account = isHex64(param)
      ? param
      : (await client.resolve(param, { signal })).account as string;
    if (param !== account) return { location: `/account/${account}` };
    const view = await client.rpc.account({ account }, { signal });
    if (!view.exists) {
      const name = names(account) ?? account;
      throw new SionError(
        "not-found",
        `the ledger has never seen account ${name}: \`${
          command(context, `sion faucet ${name} 10`)
        }\` gives it money on a devnet`,
      );
    }
    const { proof, object } = await client.readProven(accountKey(account), { signal });
    const main = markup`<p>${wholeId(account)}</p>
<div id="account" data-live>
<p class="sentence">${
      view.balances.length === 0
        ? "It has nothing."
        : view.balances.map(({ amount, symbol }, at) =>
          markup`${at > 0 && ", "}<strong>${usd(amount).replace(/ USD$/, "")} ${symbol}</strong>`
        )
    }</p>
<p class="soft">as of Pulse ${view.pulse} · next sequence ${view.next_sequence}${
      view.reserved > 0n && ` · ${usd(view.reserved)} reserved by what is final and not executed`
    }</p>
<h2>Proof</h2>
${proofLine("What the account has", "state", proof)}
${object !== undefined && raw("Raw: the account in the certified state", object.members)}
</div>
${await standsFor(context, account)}
<h2>Of late</h2>
${await lately(context, account, view.pulse)}`;
    return { title: `Account ${names(account) ?? account.slice(0, 8)}`, main };
  },
});

/** Agents that are the account's or under it, claims that it makes, stake that it gave. */
async function standsFor(context: PageContext, account: string): Promise<Html> {
  const { client, signal } = context;
  const listed = async (kind: string, member: string) =>
    (await client.rpc.objects(
      { kind, limit: MAX_LISTED, where: { member, equals: account } },
      { signal },
    )).objects;
  const [own, below, claims, stake] = await Promise.all([
    listed("identity", "account"),
    listed("identity", "principal"),
    listed("claim", "issuer"),
    client.rpc.delegations({ account, limit: MAX_LISTED }, { signal }),
  ]);
  const nameOf = (object: unknown): string =>
    textOf((object as { readonly name?: JsonValue } | null)?.name);
  const list = (title: string, items: readonly Html[]): Html | false =>
    items.length > 0 &&
    markup`<h2>${title}</h2><ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`;
  const agent = ({ id, object }: { readonly id: string; readonly object?: unknown }): Html =>
    markup`agent <a href="/agent/${id}">${nameOf(object)}</a> ${idLink("agent", id)}`;
  const claim = (one: { readonly id: string; readonly object?: unknown }): Html =>
    markup`<a href="/claim/${one.id}">${subjectOf(one as ToldObject, calledWith(context))}</a> ${
      idLink("claim", one.id)
    }`;
  return markup`${list("It is the account of", own.map(agent))}
${list("Agents under it", below.map(agent))}
${list("Claims that it makes", claims.map(claim))}
${
    list(
      "Stake that it gave",
      stake.delegations.map(({ validator, stake: amount, owed, phase }) =>
        markup`${usd(amount)} at validator ${idLink("object", validator)}, ${phase}, ${
          usd(owed)
        } of rewards owed`
      ),
    )
  }`;
}

/** What is known of it: its own transactions of the Pulses verified here, then events that name it. */
async function lately(context: PageContext, account: string, pulse: number): Promise<Html> {
  const { watch, ledger, names } = context;
  const own = watch.recent.flatMap((seen) => seen.receipts)
    .filter((receipt) => receipt.account === account).slice(0, MAX_SHOWN);
  const shown = new Set<string | null>(own.map(({ digest }) => digest));
  const { found, since } = await newestEvents(context, {
    newest: pulse,
    oldest: Math.max(1, pulse - RECENT_PULSES),
    most: MAX_SHOWN,
    matches: ({ event }) => JSON.stringify(event, plain).includes(account),
  });
  const told = found.filter(({ tx }) => !shown.has(tx));
  if (own.length === 0 && told.length === 0) {
    return markup`<p class="soft">No event since Pulse ${since} names it.</p>`;
  }
  return markup`<p class="soft">Its own transactions of the newest Pulses verified here have a
<span class="good">✓</span>; the rest are the newest events since Pulse ${since} that name it, ${MAX_SHOWN} at
most, as the node tells them. In a terminal: ${typed(command(context, "sion events"))}</p>
<ul class="rows">${
    own.map((receipt) =>
      markup`<li><span class="good">✓</span> ${saidOf(context, receipt)} ${
        place(Number(receipt.pulse), receipt.digest)
      }</li>`
    )
  }${
    told.map(({ event, pulse, tx }) =>
      markup`<li>${ledger.event(event, names) ?? "an event of another version"} ${
        place(pulse, tx)
      }</li>`
    )
  }</ul>`;
}

function place(pulse: number, tx: string | null): Html {
  return markup`<span class="soft">· <a href="/pulse/${pulse}">Pulse ${pulse}</a>${
    tx !== null && markup` · ${idLink("tx", tx)}`
  }</span>`;
}

/** Integers beyond 2^53 are none that JSON's own writer knows. */
function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
