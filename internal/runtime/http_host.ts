/**
 * Which names a server is asked by. A page's own name can be made to resolve to an address of this
 * machine, and its requests then count as that page's; so a server that pages of others must not
 * reach takes its address and the names it knows.
 */
import { isIP } from "node:net";

/** Names that a server may be called by, besides addresses. @param more without ports */
export function hostNames(host: string, more: readonly string[] = []): ReadonlySet<string> {
  return new Set(["localhost", host, ...more].map(hostName));
}

/**
 * Whether a `Host` header names the server by an address or a name of `names`: an address is nobody's
 * name.
 */
export function isHostOf(header: string | undefined, names: ReadonlySet<string>): boolean {
  const name = hostName(header ?? "");
  return isIP(name) !== 0 || (name !== "" && names.has(name));
}

/** The host of `host:port` in lower case, an address of version 6 without its brackets. */
export function hostName(host: string): string {
  const address = /^([\d.]+)(?::\d+)?$/.exec(host)?.[1];
  if (address !== undefined && isIP(address) === 4) return address;
  return URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)?.hostname
    .replace(/^\[(.*)\]$/, "$1") ?? "";
}
