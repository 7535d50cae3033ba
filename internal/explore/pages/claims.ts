/** Claims, as many as fit a page. */
import { isHex64 } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { subjectOf, textOf } from "#internal/rpc/mod.ts";
import type { ToldObject } from "#internal/rpc/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, calledWith, idLink, nothingYet } from "../words.ts";

/** Claims of one page. */
const A_PAGE = 50;

export const page = definePage({
  path: "/claims",
  section: "/claims",
  async make(context) {
    const { client, query, signal } = context;
    const asked = query.get("after") ?? "";
    const { objects, next } = await client.rpc.objects({
      kind: "claim",
      limit: A_PAGE,
      ...(isHex64(asked) ? { after: asked } : {}),
    }, { signal });
    const claims = objects as readonly ToldObject[];
    const main = claims.length === 0
      ? nothingYet(
        context,
        "There are no claims on this chain.",
        'sion claim issue dana "Invoice 88 was paid in full"',
        "states something",
      )
      : markup`<p>What somebody states, and how it stands, in the order of their ids.</p>
<div id="claims" data-live><ul class="rows">${claims.map((claim) => row(context, claim))}</ul></div>
${next !== undefined && markup`<p><a href="/claims?after=${next}">More claims</a></p>`}`;
    return { title: "Claims", main };
  },
});

function row(context: PageContext, claim: ToldObject): Html {
  const { issuer, schema, formula } = claim.object;
  return markup`<li><a href="/claim/${claim.id}">${subjectOf(claim, calledWith(context))}</a>
${statusText(claim.object["status"])}<br>
<span class="soft">${accountLink(context, textOf(issuer))} · ${textOf(schema)} · rests on ${
    textOf(formula)
  } · ${idLink("claim", claim.id)}</span></li>`;
}

function statusText(status: JsonValue | undefined): Html {
  const text = textOf(status);
  return text === "Active"
    ? markup`<span class="good">active</span>`
    : markup`<span class="${text === "Refuted" ? "bad" : "warn"}">${text.toLowerCase()}</span>`;
}
