/**
 * How two nodes find out what they are to each other: each says who it is, with a fresh nonce, and
 * a validator proves it over what both said. The end that connected proves first, so that nobody
 * has a signature made by connecting. docs/protocol/connections.md, "Greeting".
 */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import {
  bytes32,
  decode,
  encode,
  equalBytes,
  fixedBytes,
  idBytes,
  messageOf,
  struct,
  u16,
  u8,
  utf8,
} from "#internal/core/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";
import type { PeerProofs, Proven } from "./peer_proofs.ts";

/** Bytes of a hello's nonce. */
export const NONCE_BYTES = 32;
/** Marks a greeting: no other frame begins so. */
const MAGIC = utf8("sion/peer");
/** What a hello names in the place of an index when its sender is no validator. */
const FOLLOWER = 255;

const helloCodec = struct({
  magic: fixedBytes(MAGIC.length),
  format: u16,
  chain: bytes32,
  from: u8,
  nonce: bytes32,
});

/** Bytes of a hello. */
const HELLO_BYTES = 76;
/** A frame without bytes says that the connection lives, and ends a greeting. */
const NOTHING = new Uint8Array();

/** The longest frame of a greeting with such proofs, bytes. */
export function maxGreetingBytes({ bytes }: Pick<PeerProofs, "bytes">): number {
  return Math.max(HELLO_BYTES, bytes);
}

/** Who this node is, and what its peers must know. */
export interface GreetingOptions {
  /** Its index in the committee; null when it follows. */
  readonly self: () => number | null;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly proofs: PeerProofs;
}

/** One greeting. */
export interface Greeting {
  readonly end: "dial" | "listen";
  /** {@link NONCE_BYTES} random bytes of this connection alone. */
  readonly nonce: Uint8Array;
  /** Whether a nonce is of a connection that this node made: then it speaks with itself. */
  readonly isOwnNonce: (nonce: Uint8Array) => boolean;
  /** Largest frame of the validator or follower that is greeted, bytes. */
  readonly maxFrameBytes: (peer: number | null) => number;
}

/** What comes of a greeting; one of `onGreeted` and `onRefused` is called, or the socket ends. */
export interface GreetingEvents {
  /** The other end is the validator of this index, or a follower. */
  readonly onGreeted: (peer: number | null) => void;
  /** It is not; the socket is closed. */
  readonly onRefused: (reason: string) => void;
  /** Each further frame. */
  readonly onFrame: (frame: Uint8Array) => void;
}

/** Why a greeting came to nothing. */
class Refusal extends Error {}

const NO_GREETING = "it does not greet as a node of sion";
/** Its own connection, at the end that listened: no fault of anybody. */
export const SELF = "it is this node itself";
const NOT_PROVEN = "it does not prove which validator it is";

/**
 * Greets the other end of a connection. The end that connected speaks first; the one that listened
 * says nothing to whoever does not speak as a node of its chain.
 */
export function greet(
  socket: FrameSocket,
  options: GreetingOptions,
  greeting: Greeting,
  events: GreetingEvents,
): void {
  const { self, proofs } = options;
  const from = self() ?? FOLLOWER;
  const own = encode(helloCodec, {
    magic: MAGIC,
    format: FORMAT_VERSION,
    chain: idBytes(options.chain),
    from,
    nonce: greeting.nonce,
  });
  let take: (frame: Uint8Array) => Promise<void> | void;
  let greeted = false;

  const admit = (peer: number): void =>
    socket.admit(greeting.maxFrameBytes(peer === FOLLOWER ? null : peer));
  const accept = (peer: number): void => {
    greeted = true;
    take = events.onFrame;
    events.onGreeted(peer === FOLLOWER ? null : peer);
  };
  const outOfTurn = (): void => {
    throw new Refusal(NO_GREETING);
  };
  const checkProof = async (peer: number, proof: Uint8Array, of: Proven): Promise<void> => {
    take = outOfTurn;
    if (proof.length !== proofs.bytes || !await proofs.holds(peer, proof, of)) {
      throw new Refusal(NOT_PROVEN);
    }
  };

  const asListener = (frame: Uint8Array): void => {
    const hello = readHello(frame, options, greeting);
    // Who follows asks nobody for blocks that it could not get better elsewhere.
    if (from === FOLLOWER) throw new Refusal("this node only follows");
    socket.send(own);
    if (hello.from === FOLLOWER) {
      take = (end) => {
        if (end.length > 0) outOfTurn();
        admit(FOLLOWER);
        accept(FOLLOWER);
      };
      return;
    }
    take = async (proof) => {
      await checkProof(hello.from, proof, { end: "dial", hellos: [frame, own] });
      const ours = await proofs.prove("listen", [frame, own]);
      admit(hello.from);
      // It may not take anything before it has seen the proof: its next frame says that it has.
      take = (next) => {
        accept(hello.from);
        events.onFrame(next);
      };
      socket.send(ours);
    };
  };

  const asDialer = async (frame: Uint8Array): Promise<void> => {
    const hello = readHello(frame, options, greeting);
    if (hello.from === FOLLOWER) throw new Refusal("it only follows");
    if (from === FOLLOWER) {
      admit(hello.from);
      socket.send(NOTHING);
      return accept(hello.from);
    }
    take = async (proof) => {
      await checkProof(hello.from, proof, { end: "listen", hellos: [own, frame] });
      admit(hello.from);
      socket.send(NOTHING);
      accept(hello.from);
    };
    socket.send(await proofs.prove("dial", [own, frame]));
  };

  const refuse = (error: unknown): void => {
    socket.close();
    events.onRefused(messageOf(error));
  };
  take = greeting.end === "listen" ? asListener : asDialer;
  socket.onFrame((frame) => {
    if (greeted) return void take(frame);
    try {
      take(frame)?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  });
  if (greeting.end === "dial") socket.send(own);
}

type Hello = ValueOf<typeof helloCodec>;

/** @throws {Refusal} */
function readHello(frame: Uint8Array, options: GreetingOptions, greeting: Greeting): Hello {
  const hello = read(helloCodec, frame);
  const fault = faultOf(hello, options, greeting);
  if (hello === undefined || fault !== undefined) throw new Refusal(fault ?? NO_GREETING);
  return hello;
}

function read<T>(codec: Codec<T>, frame: Uint8Array): T | undefined {
  try {
    return decode(codec, frame);
  } catch {
    return undefined;
  }
}

function faultOf(
  hello: Hello | undefined,
  { chain, proofs, self }: GreetingOptions,
  { isOwnNonce }: Greeting,
): string | undefined {
  if (hello === undefined || !equalBytes(hello.magic, MAGIC)) return NO_GREETING;
  if (hello.format !== FORMAT_VERSION) {
    return `it has format ${hello.format}, this sion has ${FORMAT_VERSION}`;
  }
  if (!equalBytes(hello.chain, idBytes(chain))) return "it is of another chain";
  if (isOwnNonce(hello.nonce)) return SELF;
  if (hello.from === FOLLOWER) return undefined;
  if (!proofs.isValidator(hello.from)) return "it is no validator of the session";
  if (hello.from === self()) return `it greets as validator ${hello.from}, which this node is`;
  return undefined;
}
