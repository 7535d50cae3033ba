/**
 * Network addresses: how they are written, and which are public. That is what a stranger's URL may lead
 * to, so that it reaches nothing of this machine or its network. Source: the IANA special-purpose address
 * registries (RFC 6890).
 */
import { isIPv4, isIPv6 } from "node:net";

/** `127.0.0.1:8500`, an address of version 6 in brackets. */
export function shownAddress(
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Ranges of IPv4 that are not global: address and length of the prefix. */
const RESERVED_4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // What a machine at Azure asks about itself; of nobody else.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** The only range of IPv6 that is given out. */
const GLOBAL_6 = ["2000::", 3] as const;
/** Parts of it that are not global, or stand for addresses of IPv4: Teredo, 6to4. */
const RESERVED_6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

/**
 * Whether an address, in text and without a zone, is one of the public internet. Of what is no address
 * at all: no.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublic4(number4(address));
  if (!isIPv6(address) || address.includes("%")) return false;
  const number = number6(address);
  // Written for IPv4 inside of this machine, or by a translator (RFC 4291, RFC 6052).
  for (const translated of ["::ffff:0:0", "64:ff9b::"]) {
    if (number >> 32n === number6(translated) >> 32n) return isPublic4(number & 0xffff_ffffn);
  }
  return isIn(number, number6(GLOBAL_6[0]), GLOBAL_6[1], 128) &&
    !RESERVED_6.some(([from, bits]) => isIn(number, number6(from), bits, 128));
}

function isPublic4(number: bigint): boolean {
  return !RESERVED_4.some(([from, bits]) => isIn(number, number4(from), bits, 32));
}

function isIn(number: bigint, from: bigint, bits: number, width: number): boolean {
  const shift = BigInt(width - bits);
  return number >> shift === from >> shift;
}

function number4(address: string): bigint {
  return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function number6(address: string): bigint {
  // The last 32 bits may be written as IPv4.
  const text = address.replace(/[\d.]+\.\d+$/, (ip4) => {
    const number = number4(ip4);
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = text.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right]
    .reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}
