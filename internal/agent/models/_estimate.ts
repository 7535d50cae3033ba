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

/** How a text is counted. */
type Count = (text: string) => number;

/** The tokens of a text. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

/** The tokens of a whole request. */
export function estimateTokens(request: RequestTexts): number {
  return requestTokens(request, textTokens);
}

/** More than any vendor counts of a request: no token of theirs is shorter than a byte. */
export function mostTokens(request: RequestTexts): number {
  return requestTokens(request, (text) => Buffer.byteLength(text));
}

type RequestTexts = Pick<ModelRequest, "instructions" | "messages" | "tools">;

function requestTokens({ instructions, messages, tools }: RequestTexts, count: Count): number {
  const offered = tools.map(({ name, description, inputSchema }) =>
    FRAME_TOKENS + count(name + description + stringifyJson(inputSchema))
  ).reduce((sum, one) => sum + one, 0);
  return count(instructions) + offered + messageTokens(messages, count);
}

/** The tokens of some messages. */
function messageTokens(messages: readonly ModelMessage[], count: Count): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += FRAME_TOKENS;
    switch (message.role) {
      case "person":
        tokens += count(message.text);
        for (const { text = "" } of message.files) tokens += count(text);
        tokens += PICTURE_TOKENS * (message.pictures?.length ?? 0);
        break;
      case "model":
        tokens += count(message.text);
        for (const { tool, input } of message.calls) {
          tokens += FRAME_TOKENS + count(tool) + count(stringifyJson(input));
        }
        if (message.opaque !== undefined) tokens += count(stringifyJson(message.opaque));
        break;
      case "results":
        for (const { text, pictures = [] } of message.results) {
          tokens += FRAME_TOKENS + count(text) + PICTURE_TOKENS * pictures.length;
        }
    }
  }
  return tokens;
}
