/**
 * How two validators find out that they are of one run: each names itself with a fresh nonce and
 * proves, over both, that it knows the run's secret, which never travels itself.
 * docs/protocol/connections.md, "Greeting".
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Codec, Random, ValueOf } from "#internal/core/mod.ts";
import {
  bytes32,
  concatBytes,
  decode,
  encode,
  equalBytes,
  fixedBytes,
  idBytes,
  struct,
  u16,
  u8,
  utf8,
} from "#internal/core/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";

const NONCE_BYTES = 32;
/** Marks a greeting: no other frame begins so. */
const MAGIC = utf8("sion/peer");
/** What each end's proof begins with, so that neither can be sent back as the other's. */
const LABELS = { dial: utf8("sion/peer/dial/v1\0"), listen: utf8("sion/peer/listen/v1\0") };

const helloCodec = struct({
  magic: fixedBytes(MAGIC.length),
  format: u16,
  chain: bytes32,
  from: u8,
  nonce: bytes32,
});
const answerCodec = struct({ hello: helloCodec, proof: bytes32 });
const proofCodec = struct({ proof: bytes32 });

/** The longest frame of a greeting is 108 bytes. */
export const MAX_GREETING_BYTES = 128;

/** Who a validator is, and what its peers must know. */
export interface GreetingOptions {
  readonly self: number;
  /** Number of validators, this one included. */
  readonly count: number;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** 32 bytes that the validators of one run share: strangers on the machine do not know them. */
  readonly token: Uint8Array;
  readonly random: Random;
}

/** What comes of a greeting; one of `onGreeted` and `onRefused` is called, or the socket ends. */
export interface GreetingEvents {
  /** The other end is the validator of this index. */
  readonly onGreeted: (peer: number) => void;
  /** It is not; the socket is closed. */
  readonly onRefused: (reason: string) => void;
  /** Each further frame. */
  readonly onFrame: (peer: number, frame: Uint8Array) => void;
}

/**
 * Greets the other end of a connection. The end that connected speaks first; the one that listened
 * says nothing to whoever does not speak as a validator of its chain.
 * @param expected index of the validator that was dialed; undefined at the end that listened.
 */
export function greet(
  socket: FrameSocket,
  options: GreetingOptions,
  expected: number | undefined,
  events: GreetingEvents,
): void {
  const nonce = options.random(NONCE_BYTES);
  const own = encode(helloCodec, {
    magic: MAGIC,
    format: FORMAT_VERSION,
    chain: idBytes(options.chain),
    from: options.self,
    nonce,
  });
  const refuse = (reason: string): void => {
    socket.close();
    events.onRefused(reason);
  };
  const accept = (peer: number): void => {
    take = (frame) => events.onFrame(peer, frame);
    socket.admit();
    events.onGreeted(peer);
  };

  const takeHello = (frame: Uint8Array): void => {
    const hello = read(helloCodec, frame);
    const fault = faultOf(hello, options);
    if (hello === undefined || fault !== undefined) return refuse(fault ?? NO_GREETING);
    socket.send(concatBytes(own, proofOf("listen", options.token, frame, own)));
    take = (second) => {
      const proof = read(proofCodec, second)?.proof;
      if (!proves(proof, proofOf("dial", options.token, frame, own))) {
        return refuse(NOT_OF_THIS_RUN);
      }
      accept(hello.from);
    };
  };
  const takeAnswer = (frame: Uint8Array): void => {
    const answer = read(answerCodec, frame);
    const fault = faultOf(answer?.hello, options);
    if (answer === undefined || fault !== undefined) return refuse(fault ?? NO_GREETING);
    const theirs = frame.subarray(0, own.length);
    const proof = proofOf("listen", options.token, own, theirs);
    if (!proves(answer.proof, proof)) return refuse(NOT_OF_THIS_RUN);
    if (answer.hello.from !== expected) return refuse("it is another validator than dialed");
    socket.send(proofOf("dial", options.token, own, theirs));
    accept(answer.hello.from);
  };

  let take = expected === undefined ? takeHello : takeAnswer;
  socket.onFrame((frame) => take(frame));
  if (expected !== undefined) socket.send(own);
}

const NO_GREETING = "it does not greet as a validator of sion";
const NOT_OF_THIS_RUN = "it is not of this run";

type Hello = ValueOf<typeof helloCodec>;

function read<T>(codec: Codec<T>, frame: Uint8Array): T | undefined {
  try {
    return decode(codec, frame);
  } catch {
    return undefined;
  }
}

function faultOf(hello: Hello | undefined, options: GreetingOptions): string | undefined {
  if (hello === undefined || !equalBytes(hello.magic, MAGIC)) return NO_GREETING;
  if (hello.format !== FORMAT_VERSION) {
    return `it has format ${hello.format}, this sion has ${FORMAT_VERSION}`;
  }
  if (!equalBytes(hello.chain, idBytes(options.chain))) return "it is of another chain";
  if (hello.from >= options.count || hello.from === options.self) return "it is no validator";
  return undefined;
}

/** HMAC-SHA-256 under the run's secret over the end's label and what both said of themselves. */
function proofOf(
  end: keyof typeof LABELS,
  token: Uint8Array,
  dialer: Uint8Array,
  listener: Uint8Array,
): Uint8Array {
  return createHmac("sha256", token).update(LABELS[end]).update(dialer).update(listener).digest();
}

function proves(proof: Uint8Array | undefined, due: Uint8Array): boolean {
  return proof !== undefined && timingSafeEqual(proof, due);
}
