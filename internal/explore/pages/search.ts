/** Search: a Pulse's number, an id, a digest, a name, or the beginning of an id. */
import { escapeLine, isHex64, isWalletName, SionError } from "#internal/core/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import type { PageContext } from "../page.ts";
import { definePage } from "../page.ts";
import { command, idLink, typed } from "../words.ts";
import { listedObjects } from "./_objects.ts";

/** Digits of an id's beginning at least. */
const LEAST_DIGITS = 4;
/** Kinds whose objects are found by the beginning of an id, and how many of each are looked through. */
const KINDS = [
  "identity",
  "claim",
  "charter",
  "allotment",
  "bond",
  "task",
  "storage_deal",
  "memory_log",
];
const MAX_SEARCHED = 1_000;
/** Finds that are shown. */
const MAX_FOUND = 50;

/** One thing that was meant. */
interface Find {
  readonly path: string;
  readonly what: Html;
}

export const page = definePage({
  path: "/search",
  async make(context) {
    const asked = (context.query.get("q") ?? "").trim().slice(0, 200);
    if (asked === "") return { title: "Search", main: hint(context) };
    if (/^[1-9]\d{0,14}$/.test(asked)) {
      const { certified_pulse: certified } = await context.client.status({
        signal: context.signal,
      });
      if (Number(asked) <= certified) return { location: `/pulse/${asked}` };
    }
    const text = /^[0-9A-F]{4,64}$/i.test(asked) ? asked.toLowerCase() : asked;
    const found = isHex64(text)
      ? await byId(context, text)
      : await byNameOrBeginning(context, text);
    const [only, ...more] = found;
    if (only !== undefined && more.length === 0) return { location: only.path };
    if (only === undefined) {
      return {
        title: "Nothing found",
        status: 404,
        main: markup`<p>Nothing here is called, or begins with, <strong>${
          escapeLine(asked)
        }</strong>.</p>${hint(context)}`,
      };
    }
    return {
      title: `Search for ${asked}`,
      main: markup`<p>${found.length} things may be meant.</p><ul class="rows">${
        found.slice(0, MAX_FOUND).map(({ what }) => markup`<li>${what}</li>`)
      }</ul>`,
    };
  },
});

function hint(context: PageContext): Html {
  return markup`<div class="card"><p>Search for the number of a Pulse, the name of a wallet or an agent, an
account, the digest of a transaction, or the id of a claim, an agent or anything else, or the first
${LEAST_DIGITS} digits of an id.</p>
<p>Next: in a terminal ${
    typed(command(context, "sion events"))
  } shows what happened of late.</p></div>`;
}

/** What a whole id is of. An account may have the id of nothing else, so all is asked. */
async function byId({ client, names, signal }: PageContext, id: string): Promise<readonly Find[]> {
  const [account, object, told] = await Promise.all([
    client.rpc.account({ account: id }, { signal }),
    client.rpc.object({ id }, { signal }),
    client.rpc.receipt({ digest: id, wait_ms: 0 }, { signal }),
  ]);
  const isObject = object.exists && object.kind !== undefined && object.kind !== "account";
  return [
    ...(account.exists || names(id) !== undefined
      ? [find(`/account/${id}`, markup`account ${idLink("account", id)}`)]
      : []),
    ...(isObject ? [objectFind(object.kind as string, id)] : []),
    ...(told.state === "unknown"
      ? []
      : [find(`/tx/${id}`, markup`transaction ${idLink("tx", id)}`)]),
  ];
}

async function byNameOrBeginning(context: PageContext, text: string): Promise<readonly Find[]> {
  const isBeginning = new RegExp(`^[0-9a-f]{${LEAST_DIGITS},63}$`).test(text);
  const named = isWalletName(text) ? await byName(context, text) : [];
  const begun = isBeginning ? await byBeginning(context, text) : [];
  return [...named, ...begun.filter(({ path }) => !named.some((one) => one.path === path))];
}

/** A wallet that this machine or the devnet knows and the ledger has seen, and agents of the name. */
async function byName(context: PageContext, name: string): Promise<readonly Find[]> {
  const { client, signal } = context;
  const found: Find[] = [];
  try {
    const { account, seen } = await client.resolve(name, { signal });
    if (seen) {
      found.push(
        find(`/account/${account}`, markup`account <a href="/account/${account}">${name}</a>`),
      );
    }
  } catch (error) {
    // No wallet is called so: an agent may be.
    const isUnknown = error instanceof SionError &&
      (error.code === "wallet-unknown" || error.code === "payee");
    if (!isUnknown) throw error;
  }
  for (const { id, object } of (await listedObjects(context, "identity", MAX_SEARCHED)).objects) {
    if (object["name"] === name) {
      found.push(
        find(
          `/agent/${id}`,
          markup`agent <a href="/agent/${id}">${name}</a> ${idLink("agent", id)}`,
        ),
      );
    }
  }
  return found;
}

async function byBeginning(context: PageContext, text: string): Promise<readonly Find[]> {
  const found: Find[] = context.watch.recent.flatMap(({ receipts }) => receipts)
    .filter(({ digest }) => digest.startsWith(text))
    .map(({ digest }) => find(`/tx/${digest}`, markup`transaction ${idLink("tx", digest)}`));
  for (const kind of KINDS) {
    for (const { id } of (await listedObjects(context, kind, MAX_SEARCHED)).objects) {
      if (id.startsWith(text)) found.push(objectFind(kind, id));
    }
  }
  return found;
}

function objectFind(kind: string, id: string): Find {
  const path = kind === "identity" ? "agent" : kind === "claim" ? "claim" : "object";
  const what = kind === "identity" ? "agent" : kind.replaceAll("_", " ");
  return find(`/${path}/${id}`, markup`${what} ${idLink(path, id)}`);
}

function find(path: string, what: Html): Find {
  return { path, what };
}
