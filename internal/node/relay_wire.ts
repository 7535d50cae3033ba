/** The messages in which nodes hand in clients' units at each other, and their wire format. */
import type { ValueOf } from "#internal/core/mod.ts";
import {
  bool,
  byteString,
  decode,
  encode,
  id,
  MAX_SIGNED_UNIT_BYTES,
  struct,
  text,
  u32,
  union,
} from "#internal/core/mod.ts";
import type { Answer } from "#internal/consensus/mod.ts";
import { MESSAGE_TAGS, messageTypeOf } from "#internal/consensus/mod.ts";

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
    MESSAGE_TAGS.submit,
    struct({ request: u32, forced: bool, unit: byteString(MAX_SIGNED_UNIT_BYTES) }),
  ],
  answer: [MESSAGE_TAGS.answer, struct({ request: u32, answer: answerCodec })],
});

/** Whether a frame is of this kind, as far as its first byte says. */
export function isRelayFrame(frame: Uint8Array): boolean {
  const type = messageTypeOf(frame);
  return type === "submit" || type === "answer";
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
