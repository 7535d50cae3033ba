/** Anything else of the ledger by its id: what kind it is, its members, its proof. */
import { isHex64, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { timeOf } from "#internal/rpc/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, raw, usd, wholeId } from "../words.ts";
import { proofLine } from "./_proof.ts";

/** Pages of their own, by kind. */
const OWN_PAGES: { readonly [kind: string]: string } = {
  account: "account",
  claim: "claim",
  identity: "agent",
};

export const page = definePage({
  path: "/object/:",
  async make(context) {
    const { param: id, client, signal } = context;
    if (!isHex64(id)) throw new SionError("argument", `${id} is no id: give its 64 hex digits`);
    const told = await client.rpc.object({ id }, { signal });
    const { kind = "", exists } = told;
    if (!exists) throw new SionError("not-found", `the ledger has nothing of the id ${id}`);
    const own = Object.hasOwn(OWN_PAGES, kind) ? OWN_PAGES[kind] : undefined;
    if (own !== undefined) return { location: `/${own}/${id}` };
    const { proof, object } = await client.readProven(id, { signal });
    const members = object?.members ?? told.object as { readonly [member: string]: JsonValue };
    const called = kind.replaceAll("_", " ");
    const main = markup`<p>${wholeId(id)}</p>
<h2>Proof</h2>
<div id="proof" data-live>${proofLine("What it holds", "state", proof)}</div>
<h2>What it holds</h2>
<dl>${
      Object.entries(members).map(([name, value]) =>
        markup`<dt>${labelOf(name)}</dt><dd>${shown(context, name, value)}</dd>`
      )
    }</dl>
${raw("Raw", members)}`;
    return { title: `${called.charAt(0).toUpperCase()}${called.slice(1)} ${id.slice(0, 8)}`, main };
  },
});

/** Members that name accounts; other ids are looked up by what they are of. */
const OF_ACCOUNTS =
  /^(account|by|client|giver|holder|issuer|operator|owner|payee|poster|principal|payees|provider|worker)$/;
/** Members that count micro-USD. */
const OF_MONEY = new RegExp(
  "^(amount|balance|capacity|collateral|delegated|earned|earning|escrow|forfeited|free|left|level|" +
    "max_payment|own|paid|price|refill|reserved|slashed|spent|stake)$",
);

/** A member's name as words; the unit stands with the value. */
function labelOf(name: string): string {
  return name.replace(/_ms$/, "").replaceAll("_", " ");
}

function shown(context: PageContext, name: string, value: JsonValue | undefined): Html {
  if (typeof value === "string" && isHex64(value)) {
    return OF_ACCOUNTS.test(name)
      ? accountLink(context, value)
      : markup`<a class="id" href="/search?q=${value}">${value}</a>`;
  }
  if (value === null || value === undefined) {
    return markup`<span class="soft">${name === "payees" ? "anyone" : "none"}</span>`;
  }
  if (OF_MONEY.test(name) && (typeof value === "number" || typeof value === "bigint")) {
    return markup`${usd(value)}`;
  }
  if (Array.isArray(value)) {
    return value.length === 0
      ? markup`<span class="soft">none</span>`
      : markup`<ul>${value.map((item) => markup`<li>${shown(context, name, item)}</li>`)}</ul>`;
  }
  if (typeof value === "object") {
    return markup`<dl>${
      Object.entries(value).map(([inner, item]) =>
        markup`<dt>${labelOf(inner)}</dt><dd>${shown(context, inner, item)}</dd>`
      )
    }</dl>`;
  }
  if (name.endsWith("_ms") && (typeof value === "number" || typeof value === "bigint")) {
    return markup`${timeOf(Number(value))}`;
  }
  return markup`${typeof value === "boolean" ? (value ? "yes" : "no") : value}`;
}
