/** What pages say the same way everywhere: ids, accounts, amounts, ages, sentences with commands. */
import type { JsonValue } from "#internal/core/mod.ts";
import { formatUsdGrouped, shortId, stringifyJson } from "#internal/core/mod.ts";
import { DEFAULT_NODE_URL } from "#internal/rpc/mod.ts";
import type { Html } from "./html.ts";
import { markup } from "./html.ts";
import type { PageContext } from "./page.ts";

/** An id in full, as it is copied. */
export function wholeId(id: string): Html {
  return markup`<span class="id">${id}</span>`;
}

/** A link that shows the beginning of an id. */
export function idLink(path: string, id: string): Html {
  return markup`<a class="id" href="/${path}/${id}" title="${id}">${shortId(id)}</a>`;
}

/** An account by its name if there is one, and the beginning of its id. */
export function accountLink({ names }: Pick<PageContext, "names">, id: string): Html {
  const name = names(id);
  return name === undefined
    ? idLink("account", id)
    : markup`<a href="/account/${id}" title="${id}">${name}</a>`;
}

/** How accounts are called in text. */
export function calledWith({ names }: Pick<PageContext, "names">): (id: string) => string {
  return (id) => names(id) ?? shortId(id);
}

/** Micro-USD as people read them. */
export function usd(micro: JsonValue | undefined): string {
  const amount = typeof micro === "number" || typeof micro === "bigint" ? BigInt(micro) : 0n;
  return `${formatUsdGrouped(amount)} USD`;
}

/** How long ago something was; the page's script keeps it up to date. */
export function age(atMs: number, nowMs: number): Html {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1_000));
  return markup`<span data-at="${atMs}">${
    seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
  } ago</span>`;
}

/** A sentence in which backticks enclose what is typed. */
export function prose(text: string): Html {
  const parts = text.split("`").map((part, at) => at % 2 === 0 ? part : typed(part));
  return markup`${parts}`;
}

/** What is typed in a terminal; an option stays whole at the end of a line. */
export function typed(line: string): Html {
  const parts = line.split(/(?<=^| )(--[a-z-]+)/).map((part, at) =>
    at % 2 === 0 ? part : markup`<span class="whole">${part}</span>`
  );
  return markup`<code>${parts}</code>`;
}

/** A command as it is typed for this node. */
export function command({ client }: Pick<PageContext, "client">, line: string): string {
  return client.node === DEFAULT_NODE_URL ? line : `${line} --node ${client.node}`;
}

/** What there is nothing of yet, and the command that makes some. */
export function nothingYet(context: PageContext, what: string, line: string, does: string): Html {
  return markup`
    <div class="card">
      <p>${what}</p>
      <p>Next: ${typed(command(context, line))} ${does}.</p>
    </div>
  `;
}

/** A value as its JSON, for whoever wants all of it. */
export function raw(summary: string, value: unknown): Html {
  return markup`
    <details>
      <summary>${summary}</summary>
      <pre tabindex="0">${linesOf(stringifyJson(value, 2))}</pre>
    </details>
  `;
}

/** Lines stay lines: JSON has escaped all that is in its strings. */
function linesOf(text: string): Html {
  return markup`${text.split("\n").map((line) => markup`${line}\n`)}`;
}

/** `1 claim`, `2 claims`. */
export function counted(count: number | bigint, one: string): string {
  return `${count} ${one}${BigInt(count) === 1n ? "" : "s"}`;
}

/** A whole number with commas between its thousands. */
export function grouped(value: number | bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}
