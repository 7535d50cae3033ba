/** Tokens where nobody has counted them: about one in four bytes of English, in three of code. */
import { Buffer } from "node:buffer";
import { stringifyJson } from "#internal/core/mod.ts";
import type { ModelMessage, ModelRequest } from "./_model.ts";

/** Bytes a token, on the safe side. */
const BYTES_A_TOKEN = 3.5;
/** What a message, a call, a result or a tool takes besides its text, tokens. */
const FRAME_TOKENS = 8;

/** What a picture takes at most, tokens. */
const PICTURE_TOKENS = 1_600;

/** The tokens of a text. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

/** The tokens of some messages. */
function messageTokens(messages: readonly ModelMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += FRAME_TOKENS;
    switch (message.role) {
      case "person":
        tokens += textTokens(message.text);
        for (const { text = "" } of message.files) tokens += textTokens(text);
        tokens += PICTURE_TOKENS * (message.pictures?.length ?? 0);
        break;
      case "model":
        tokens += textTokens(message.text);
        for (const { tool, input } of message.calls) {
          tokens += FRAME_TOKENS + textTokens(tool) + textTokens(stringifyJson(input));
        }
        if (message.opaque !== undefined) tokens += textTokens(stringifyJson(message.opaque));
        break;
      case "results":
        for (const { text, pictures = [] } of message.results) {
          tokens += FRAME_TOKENS + textTokens(text) + PICTURE_TOKENS * pictures.length;
        }
    }
  }
  return tokens;
}

/** The tokens of a whole request. */
export function estimateTokens(
  { instructions, messages, tools }: Pick<ModelRequest, "instructions" | "messages" | "tools">,
): number {
  const offered = tools.map(({ name, description, inputSchema }) =>
    FRAME_TOKENS + textTokens(name + description + stringifyJson(inputSchema))
  ).reduce((sum, one) => sum + one, 0);
  return textTokens(instructions) + offered + messageTokens(messages);
}
