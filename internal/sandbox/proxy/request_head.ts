/** What a client asks a proxy for (RFC 9110, RFC 9112): read strictly, since it is a sandbox's word. */

/** A request that can be passed on, or why not. */
export type ProxyRequest =
  | { readonly kind: "tunnel"; readonly host: string; readonly port: number }
  | {
    readonly kind: "plain";
    readonly host: string;
    readonly port: number;
    /** The head as the server is to get it. */
    readonly head: string;
    /** Bytes of the body that follow. */
    readonly bodyBytes: number;
  }
  | { readonly kind: "refused"; readonly why: string };

const CONNECT = /^CONNECT ([a-z0-9][a-z0-9.-]{0,252}):(\d{1,5}) HTTP\/1\.[01]$/i;
const PLAIN =
  /^([A-Z]{1,16}) http:\/\/([a-z0-9][a-z0-9.-]{0,252})(?::(\d{1,5}))?(\/[!-~]*)? HTTP\/1\.[01]$/i;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\u0080-\u00ff]*)$/;
/** Said between neighbours only; and what would turn the connection into something else. */
const NOT_PASSED = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "te",
  "upgrade",
];

/** Reads a head without its last empty line. */
export function readRequestHead(head: string): ProxyRequest {
  const [first = "", ...lines] = head.split("\r\n");
  const tunnel = CONNECT.exec(first);
  if (tunnel !== null) {
    return { kind: "tunnel", host: plainHost(tunnel[1] ?? ""), port: Number(tunnel[2]) };
  }
  const plain = PLAIN.exec(first);
  if (plain === null) return { kind: "refused", why: "bad request" };
  const [, method = "", name = "", port = "80", path = "/"] = plain;
  const fields = lines.map((line) => FIELD.exec(line));
  if (fields.includes(null)) return { kind: "refused", why: "bad request" };
  const all = fields.map((field) => [field?.[1]?.toLowerCase() ?? "", field?.[2] ?? ""] as const);
  const lengths = all.filter(([key]) => key === "content-length").map(([, value]) => value.trim());
  const chunked = all.some(([key]) => key === "transfer-encoding");
  const wellSized = lengths.length <= 1 && lengths.every((length) => /^\d{1,15}$/.test(length));
  if (chunked || !wellSized) return { kind: "refused", why: "give the body's length" };
  const host = plainHost(name);
  const passed = all.filter(([key]) => !NOT_PASSED.includes(key) && key !== "host");
  const shown = port === "80" ? host : `${host}:${port}`;
  return {
    kind: "plain",
    host,
    port: Number(port),
    bodyBytes: Number(lengths[0] ?? 0),
    head: [
      `${method.toUpperCase()} ${path} HTTP/1.1`,
      // The host that was checked, whatever another field says.
      `host: ${shown}`,
      ...passed.map(([key, value]) => `${key}: ${value}`),
      // One request a connection: a second one would not be looked at.
      "connection: close",
      "",
      "",
    ].join("\r\n"),
  };
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
