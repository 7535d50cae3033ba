/** Claims, as many as fit a page. */
import type { JsonValue } from "#internal/core/mod.ts";
import { formulaIn, subjectOf, textOf } from "#internal/rpc/mod.ts";
import type { ToldObject } from "#internal/rpc/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, calledWith, grouped, idLink, nothingYet } from "../words.ts";
import { listedObjects } from "./_objects.ts";

/** Claims of one page, and those that are put in the order of their issue. */
const A_PAGE = 50;
const MAX_SORTED = 1_000;

export const page = definePage({
  path: "/claims",
  section: "/claims",
  async make(context) {
    const { objects, more } = await listedObjects(context, "claim", MAX_SORTED);
    const claims = more ? objects : [...objects].sort(byIssue);
    const last = Math.max(1, Math.ceil(claims.length / A_PAGE));
    const asked = Math.trunc(Number(context.query.get("page"))) || 1;
    const page = Math.min(last, Math.max(1, asked));
    const main = markup`<div id="claims" data-live>${
      claims.length === 0
        ? nothingYet(
          context,
          "There are no claims on this chain.",
          'sion claim issue dana "Invoice 88 was paid in full"',
          "states something",
        )
        : markup`<p>What somebody states, and how it stands${
          more
            ? markup`, in the order of their ids: ${grouped(MAX_SORTED)} of more claims.`
            : ", the newest first."
        }</p>
<ul class="rows">${
          claims.slice((page - 1) * A_PAGE, page * A_PAGE).map((claim) => row(context, claim))
        }</ul>
${last > 1 && pageLinks(page, last)}`
    }</div>`;
    return { title: "Claims", main };
  },
});

function byIssue(a: ToldObject, b: ToldObject): number {
  return Number(b.object["issued"]) - Number(a.object["issued"]) || (a.id < b.id ? -1 : 1);
}

function pageLinks(page: number, last: number): Html {
  const link = (to: number, text: string): Html =>
    markup`<li><a href="/claims?page=${to}">${text}</a></li>`;
  return markup`<nav class="beside" aria-label="Pages of claims"><ul>${
    page > 1 && link(page - 1, "← Newer")
  }<li>Page ${page} of ${last}</li>${page < last && link(page + 1, "Older →")}</ul></nav>`;
}

function row(context: PageContext, claim: ToldObject): Html {
  const { issuer, schema } = claim.object;
  return markup`<li><a href="/claim/${claim.id}">${subjectOf(claim, calledWith(context))}</a>
${statusText(claim.object["status"])}<br>
<span class="soft">${accountLink(context, textOf(issuer))} · ${textOf(schema)} · rests on ${
    formulaIn(claim, context.names)
  } · ${idLink("claim", claim.id)}</span></li>`;
}

function statusText(status: JsonValue | undefined): Html {
  const text = textOf(status);
  return text === "Active"
    ? markup`<span class="good">active</span>`
    : markup`<span class="${text === "Refuted" ? "bad" : "warn"}">${text.toLowerCase()}</span>`;
}
