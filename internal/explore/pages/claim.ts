/** A claim: what is stated, how it stands, what it rests on as text and drawn, what that is worth. */
import { isHex64, parseUsd, SionError } from "#internal/core/mod.ts";
import type { AssessedClaim, AtomValue } from "#internal/client/mod.ts";
import type { Claim, Formula } from "#internal/ledger/mod.ts";
import { formulaOf, formulaText, sayWith, subjectText } from "#internal/ledger/mod.ts";
import { usdOf } from "#internal/rpc/mod.ts";
import { formulaDrawing } from "../formula_drawing.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { accountLink, command, idLink, raw, typed, wholeId } from "../words.ts";
import { proofLine } from "./_proof.ts";

/** What rests on a claim unless the page is asked otherwise, USD. */
const DEFAULT_VALUE = "100";

export const page = definePage({
  path: "/claim/:",
  section: "/claims",
  async make(context) {
    const { param, client, names, query, signal } = context;
    if (!isHex64(param)) {
      throw new SionError("argument", `${param} is no claim's id: give its 64 hex digits`);
    }
    const { id, claim } = await client.readClaim(param, { signal });
    const asked = query.get("value") ?? DEFAULT_VALUE;
    const value = parseUsd(asked, { allowZero: true });
    const [assessed, { proof, object }] = await Promise.all([
      client.assessClaim({ claim: id, value }, { signal }),
      client.readProven(id, { signal }),
    ]);
    const say = sayWith(names);
    const formula = formulaOf(claim);
    const text = formulaText(formula, say);
    const below = claimsIn(formula);
    const main = markup`<p class="sentence">${accountLink(context, claim.issuer)} states:
${subjectText(claim, say)}</p>
<div id="standing" data-live><p>${standing(assessed.status)} · ${claim.schema} · issued at
<a href="/pulse/${claim.issued}">Pulse ${claim.issued}</a>, ${
      claim.validUntil === null ? "without end" : `valid until Pulse ${claim.validUntil}`
    }</p>
${judge(context, claim)}</div>
<h2>What it rests on</h2>
<p>To make it false, one has to corrupt:</p>
${formulaDrawing(formula, say, text)}
<p><code>${text}</code></p>
${
      below.length > 0 &&
      markup`<p>Claims below it: ${below.map((one) => markup`${idLink("claim", one)} `)}</p>`
    }
<div id="atoms" data-live><h3>Atoms, down to the last</h3>
<ul class="rows">${assessed.atoms.map(atomRow)}</ul></div>
<h2>May something rest on it?</h2>
<form action="/claim/${id}"><label for="value">Value in USD</label>
<input id="value" name="value" inputmode="decimal" value="${asked}" maxlength="24"><button>Decide</button></form>
<div id="decision" data-live>${decision(assessed, asked)}</div>
<h2>Proof</h2>
<p><span class="good">✓</span> Its id is the hash of what it says.</p>
<div id="proof" data-live>${proofLine("How it stands", "state", proof)}</div>
<h2>All of it</h2>
<p>${wholeId(id)}</p>
<p class="soft">In a terminal: ${
      typed(command(context, `sion claim assess ${id} --value ${asked}`))
    }</p>
${raw("Raw", object?.members ?? claim)}`;
    return { title: `Claim ${id.slice(0, 8)}`, main };
  },
});

/** Ids of the claims that a formula names, each once. */
function claimsIn(formula: Formula): readonly string[] {
  if (formula.kind === "group") return [...new Set(formula.parts.flatMap(claimsIn))];
  return formula.atom.kind === "claim" ? [formula.atom.body.claim] : [];
}

function standing(status: string): Html {
  const word = status.toLowerCase();
  if (status === "Active") return markup`<span class="good">${word}</span>`;
  return markup`<span class="${status === "Refuted" ? "bad" : "warn"}">${word}</span>`;
}

function judge(context: PageContext, { basis }: Claim): Html | undefined {
  const adjudicator = basis.kind === "trust" ? basis.body.adjudicator : null;
  if (adjudicator === null) return undefined;
  const { account, label } = adjudicator;
  return markup`<p>${
    accountLink(context, account)
  } may find it false, with bond ${label} at stake for judging.</p>`;
}

function atomRow({ what, trusted, cost, bond, id }: AtomValue): Html {
  const worth = trusted
    ? "trusted: taken to hold whatever the price"
    : cost === "Infinite"
    ? "cannot be bought"
    : `${usdOf(cost.Finite)} USD to corrupt`;
  return markup`<li><strong>${what}</strong>: ${worth}${
    bond !== null && markup`, <a href="/object/${id}">its bond</a> holds ${usdOf(bond)} USD`
  }</li>`;
}

function decision({ decision: { accept, reasons, required } }: AssessedClaim, asked: string): Html {
  return markup`<p>${
    accept
      ? markup`<span class="good">Yes: ${asked} USD may rest on it</span>`
      : markup`<span class="bad">No: ${asked} USD should not rest on it</span>`
  } <span class="soft">· corrupting it has to cost more than ${usdOf(required)} USD</span></p>
<ul>${reasons.map((reason) => markup`<li>${reason}</li>`)}</ul>`;
}
