/** The messages in which nodes hand in clients' units at each other, and their wire format. */
import type { ValueOf } from "#internal/core/mod.ts";
import {
  bool,
  byteString,
  decode,
  encode,
  id,
  struct,
  text,
  u32,
  union,
} from "#internal/core/mod.ts";
import type { Answer } from "#internal/consensus/mod.ts";
import { MAX_UNIT_BYTES } from "#internal/rpc/mod.ts";

/** Tags of these messages; those of consensus are below. */
const SUBMIT_TAG = 64;
const ANSWER_TAG = 65;

/** A unit that is handed in; the answer names the same request. */
export interface SubmitMessage {
  readonly request: number;
  readonly forced: boolean;
  /** The unit's encoding. */
  readonly unit: Uint8Array;
}

/** A message of this kind. */
export type RelayMessage =
  | { readonly kind: "submit"; readonly body: SubmitMessage }
  | { readonly kind: "answer"; readonly request: number; readonly answer: Answer };

const answerCodec = union({
  accepted: [1, struct({})],
  locked: [2, struct({ by: id })],
  refused: [3, struct({ code: text(64), reason: text(1024) })],
});

const wireCodec = union({
  submit: [
    SUBMIT_TAG,
    struct({ request: u32, forced: bool, unit: byteString(MAX_UNIT_BYTES) }),
  ],
  answer: [ANSWER_TAG, struct({ request: u32, answer: answerCodec })],
});

/** Whether a frame is of this kind, as far as its first byte says. */
export function isRelayFrame(frame: Uint8Array): boolean {
  return frame[0] === SUBMIT_TAG || frame[0] === ANSWER_TAG;
}

/** The frame that hands in a unit. */
export function encodeSubmit(body: SubmitMessage): Uint8Array {
  return encode(wireCodec, { kind: "submit", body });
}

/** The frame of an answer. */
export function encodeAnswer(request: number, answer: Answer): Uint8Array {
  return encode(wireCodec, { kind: "answer", body: { request, answer: wireOf(answer) } });
}

/** @throws {SionError} `codec` on anything that is not exactly one message of bounded size. */
export function decodeRelayMessage(frame: Uint8Array): RelayMessage {
  const message = decode(wireCodec, frame);
  if (message.kind === "submit") return message;
  const { request, answer: { kind, body } } = message.body;
  return { kind: "answer", request, answer: { type: kind, ...body } as Answer };
}

function wireOf(answer: Answer): ValueOf<typeof answerCodec> {
  switch (answer.type) {
    case "accepted":
      return { kind: "accepted", body: {} };
    case "locked":
      return { kind: "locked", body: { by: answer.by } };
    case "refused": {
      const { code, reason } = answer;
      return { kind: "refused", body: { code, reason } };
    }
  }
}
