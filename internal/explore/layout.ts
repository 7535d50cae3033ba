/** What stands around every page: the menu, the search, as of when it is, where it is from. */
import { shortId } from "#internal/core/mod.ts";
import type { Html } from "./html.ts";
import { markup } from "./html.ts";
import type { Page } from "./page.ts";
import { capital, type SeenPulse, type Switched, type Trouble } from "./watch.ts";
import { age, prose, typed } from "./words.ts";

/** The entries of the menu. */
const MENU: readonly (readonly [path: string, text: string])[] = [
  ["/", "Pulses"],
  ["/validators", "Validators"],
  ["/claims", "Claims"],
  ["/agents", "Agents"],
];

/** What the frame of a page says. */
export interface Frame {
  /** The entry of the menu that the page belongs to. */
  readonly section?: string | undefined;
  /** What stands in the search box. */
  readonly query?: string;
  readonly newest: SeenPulse | undefined;
  readonly trouble: Trouble | undefined;
  readonly switched: Switched | undefined;
  readonly node: string;
  /** Chain identity that is insisted on. */
  readonly pinned: string | undefined;
  readonly nowMs: number;
}

/** A whole page. */
export function layout({ title, main }: Page, frame: Frame): string {
  const { section, query = "", node, pinned } = frame;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – sion explore</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script src="/live.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar">
<span class="brand"><a href="/"><img src="/icon.svg" alt="" width="24" height="24">sion explore</a></span>
<nav aria-label="Pages"><ul>${
    MENU.map(([path, text]) => entry(path, text, path === section))
  }</ul></nav>
<form action="/search" role="search">
<input type="search" name="q" value="${query}" maxlength="200" aria-label="Name, id, digest or Pulse"
 placeholder="name, id, digest, Pulse" autocomplete="off" autocapitalize="none" spellcheck="false">
<button>Search</button>
</form>
</div>
${asOf(frame)}
</header>
<p id="said" class="heard" role="status" aria-live="polite"></p>
<div id="lost" class="notice bad-edge" hidden>
<p>The connection to <code>sion explore</code> is lost: see whether it still runs in its terminal, or
start it again. What is below does not change meanwhile.</p>
</div>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${main}
</main>
<footer>
<p>Nothing is signed here. All of this is what the node at <code>${node}</code> says; what has a
<span class="good">✓</span> this machine has verified by itself. ${chainNote(pinned)}</p>
</footer>
</body>
</html>
`.toString();
}

function entry(path: string, text: string, isHere: boolean): Html {
  return isHere
    ? markup`<li><a href="${path}" aria-current="page">${text}</a></li>`
    : markup`<li><a href="${path}">${text}</a></li>`;
}

function chainNote(pinned: string | undefined): Html {
  return pinned === undefined
    ? markup`No chain is pinned, so the node vouches for which one it is: ${
      typed("sion explore --chain ID")
    } insists on the one you mean.`
    : markup`Pinned is chain ${shortId(pinned)}: of another one no check would hold.`;
}

/** As of when the page is, and whether that is verified. */
function asOf({ newest, trouble, switched, nowMs }: Frame): Html {
  const pause = markup`<noscript><a href="">Load anew</a></noscript>
<button type="button" id="pause" hidden>Pause</button>`;
  const state = newest === undefined
    ? markup`<span>${
      trouble === undefined ? "Verifying the newest Pulse…" : "Nothing is known."
    }</span>`
    : markup`<span>As of <a href="/pulse/${newest.number}">Pulse ${newest.number}</a>, ${
      age(newest.atMs, nowMs)
    }</span> ${
      newest.verified
        ? markup`<span class="good">✓ verified here</span>`
        : markup`<span class="bad">✗ not verified</span>`
    }`;
  return markup`<div id="asof" data-live><div class="asof">${state} ${pause}</div>${
    trouble !== undefined &&
    markup`
      <div class="notice bad-edge">
        <p>${prose(`${capital(trouble.sentence)}.`)}</p>
      </div>
    `
  }${switched !== undefined && otherChain(switched)}</div>`;
}

/** Stays for as long as the program runs: what was read before is of the other chain. */
function otherChain({ from, to }: Switched): Html {
  return markup`
    <div class="notice">
      <p>The node serves another chain now: ${shortId(to)}, in place of ${
    shortId(from)
  }. What you read
      before is of that one.</p>
    </div>
  `;
}
