/** The name that a TLS client asks for (RFC 8446 section 4.1.2, RFC 6066 section 3). */

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
/** Encrypted ClientHello: the name that counts would be one that nobody here can read. */
const ENCRYPTED_HELLO = 0xfe0d;
const RECORD_HEADER_BYTES = 5;

/** The name; `"more"` while it has not all come; nothing when it is no such greeting or names none. */
export function serverNameOf(bytes: Uint8Array): { readonly name: string } | "more" | undefined {
  const hello = handshakeOf(bytes);
  if (typeof hello === "string" || hello === undefined) return hello;
  try {
    const name = nameIn(new Reader(hello));
    return name === undefined ? undefined : { name };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The handshake message out of the records that carry it. */
function handshakeOf(bytes: Uint8Array): Uint8Array | "more" | undefined {
  const parts: number[] = [];
  for (let at = 0;;) {
    const length = parts.length >= 4
      ? 4 + (parts[1] as number) * 0x1_0000 + (parts[2] as number) * 0x100 + (parts[3] as number)
      : Infinity;
    if (parts.length >= length) return Uint8Array.from(parts.slice(0, length));
    if (parts.length > 0 && parts[0] !== CLIENT_HELLO) return undefined;
    if (at < bytes.length && bytes[at] !== HANDSHAKE) return undefined;
    if (bytes.length < at + RECORD_HEADER_BYTES) return "more";
    const size = (bytes[at + 3] as number) * 0x100 + (bytes[at + 4] as number);
    const body = bytes.subarray(at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + size);
    if (size === 0) return undefined;
    if (body.length < size) return "more";
    parts.push(...body);
    at += RECORD_HEADER_BYTES + size;
  }
}

function nameIn(message: Reader): string | undefined {
  message.skip(4 + 2 + 32);
  message.skip(message.number(1));
  message.skip(message.number(2));
  message.skip(message.number(1));
  const extensions = message.part(message.number(2));
  let name: string | undefined;
  while (!extensions.done) {
    const kind = extensions.number(2);
    const body = extensions.part(extensions.number(2));
    if (kind === ENCRYPTED_HELLO) return undefined;
    if (kind !== SERVER_NAME) continue;
    const list = body.part(body.number(2));
    // Two names would let one be checked and the other be used.
    if (name !== undefined || list.number(1) !== 0) return undefined;
    name = list.text(list.number(2));
    if (!list.done) return undefined;
  }
  return name?.toLowerCase();
}

/** Reads numbers and parts, and never beyond the end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(bytes: number): number {
    return this.#take(bytes).reduce((sum, byte) => sum * 0x100 + byte, 0);
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }

  part(bytes: number): Reader {
    return new Reader(this.#take(bytes));
  }

  text(bytes: number): string {
    return String.fromCharCode(...this.#take(bytes));
  }

  #take(bytes: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + bytes);
    if (taken.length < bytes) throw new RangeError("Cannot read on: the greeting ends too early");
    this.#at += bytes;
    return taken;
  }
}
