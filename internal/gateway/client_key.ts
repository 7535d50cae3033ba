/** Which client a request is from, as far as limits tell clients apart. */
import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";

/** Groups of an IPv6 address that name a network: whoever has one has all addresses below it. */
const NETWORK_GROUPS = 4;

/**
 * The client's address; of IPv6 its network, a /64.
 * @param proxied whether a proxy of the operator's stands in front: the client is then who that proxy
 * says it is, the last address of `x-forwarded-for`. Whatever is before it anybody may have written.
 */
export function clientKey(
  { headers, socket }: Pick<IncomingMessage, "headers"> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
  proxied: boolean,
): string {
  const own = socket.remoteAddress ?? "";
  if (!proxied) return networkOf(own);
  const told = String(headers["x-forwarded-for"] ?? "").split(",").at(-1)?.trim() ?? "";
  return networkOf(isIPv4(told) || isIPv6(told) ? told : own);
}

function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split("%", 1)[0] as string;
  if (!isIPv6(plain)) return plain === "" ? "unknown" : plain;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? 0 : tail.split(":").length;
    while (groups.length < 8 - after) groups.push("0");
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16));
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}
