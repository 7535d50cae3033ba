/** docs/reference/rpc.md: what nodes answer, from the contract that node and client derive from. */
import type { Method, Wire } from "#internal/rpc/mod.ts";
import {
  BYTES_TYPE,
  DEFAULT_NODE_URL,
  MAX_BODY_BYTES,
  MAX_WAIT_MS,
  methods,
  RPC_ERROR_STATUS,
} from "#internal/rpc/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

/** The reference of a node's methods. */
export const rpcPage: Page = {
  path: "docs/reference/rpc.md",
  text() {
    const all = Object.values(methods) as readonly Method<unknown, { readonly pulse: number }>[];
    return Promise.resolve(
      [
        "# The node's methods",
        MADE_BY,
        "For who writes a client. `POST /rpc/<method>` with a JSON object of parameters is answered by",
        `a JSON object, at \`${DEFAULT_NODE_URL}\` unless the node says otherwise. Every answer names the`,
        "Pulse it is of. Integers are exact, beyond 2^53 too: read them as such. Amounts are",
        "micro-units (1 USD is 1000000), ids 64 lower-case hex digits, bytes lower-case hex. An unknown",
        "parameter is an error; an answer may have members that this page does not know.",
        "",
        "Where a method says so, one parameter's bytes may be the whole body, under the content type",
        `\`${BYTES_TYPE}\`: half as long as their hex, and read by nothing on the way. The others are`,
        "then in the query, each value as JSON: `?forced=true`. The answer is the same.",
        "",
        `A request has at most ${MAX_BODY_BYTES} bytes. Methods that wait do so for at most`,
        `${
          MAX_WAIT_MS / 1000
        } seconds and then answer what is; ask again. Pages of other origins are`,
        "refused, and on loopback so is every host name but `localhost`.",
        "",
        "`GET /events?from=<Pulse>` is a stream of server-sent events, `event: ledger`, whose data is one",
        "event as `events` lists it; without `from` it begins with the next Pulse.",
        "",
        "**Through a gateway** (`sion gateway`, `http://127.0.0.1:8401`) the same is read, and nothing changed:",
        `${listed(all)} are refused as \`read-only\`, and \`status\` says so. There a`,
        "question can also be an address: `GET /rpc/<method>?<name>=<value>`, a value as JSON or, where it is none, as",
        "text. Who asks too often gets `limited` and the time to come again, in `retry_after_ms` and `Retry-After`.",
        "",
        ...all.flatMap(section),
        "## Errors",
        "",
        'An error is `{"error": {"code", "message", "retry_after_ms"?}}` under an HTTP status:',
        "",
        table(
          ["code", "status"],
          Object.entries(RPC_ERROR_STATUS).map(([code, status]) => [`\`${code}\``, String(status)]),
        ),
        "",
      ].join("\n"),
    );
  },
};

/** The methods that change something: `faucet`, `submit`. */
function listed(all: readonly Method<unknown, { readonly pulse: number }>[]): string {
  const names = all.filter(({ changes }) => changes === true).map(({ name }) => `\`${name}\``);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function section(
  { name, summary, params, result, body }: Method<unknown, { readonly pulse: number }>,
): string[] {
  const rows = (of: string, shape: Wire<unknown>): string[][] =>
    membersOf(shape, "").map(([member, text]) => [of, `\`${member}\``, text]);
  return [
    `## ${name}`,
    "",
    summary,
    "",
    ...(body === undefined ? [] : [`\`${body}\` may be the request's whole body.`, ""]),
    table(["", "member", ""], [...rows("parameter", params), ...rows("answer", result)]),
    "",
  ];
}

/** Each member with what it is, those of objects in it below it as `outer.inner`. */
function membersOf(shape: Wire<unknown>, prefix: string): [member: string, text: string][] {
  return Object.entries(shape.members ?? {}).flatMap(([name, inner]) => {
    const member = `${prefix}${name}`;
    const own: [string, string] = [member, inner.text.replaceAll(/\{[^}]*\}/g, "").trim()];
    return [own, ...membersOf(inner, `${member}.`)];
  });
}
