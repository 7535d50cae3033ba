/** A conversation as a request to the Responses API, which keeps nothing of it. */
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputImage,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { plainJson, stringifyJson } from "#internal/core/mod.ts";
import type { KeptPicture } from "../../conversation.ts";
import type { ModelMessage, ModelRequest } from "../_model.ts";
import type { WireTools } from "../_wire.ts";
import { dataUrl, personTexts, wireIds, wirePictures } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import { answerBound, resultText } from "./_asked.ts";
import { readKept } from "./responses_kept.ts";

/** Models of which nothing is known, by names that reason. */
const REASONS = /^(gpt-[5-9]|o[1-9]|codex)/;

/** The request, without `stream`. */
export function responsesQuestion(
  asked: Asked,
  request: ModelRequest,
  tools: WireTools,
): ResponseCreateParamsNonStreaming {
  const { model, effort, known } = asked;
  const maxOutput = answerBound(asked, request);
  const reasons = effort !== undefined || known?.thinking === "effort" ||
    (known === undefined && REASONS.test(model));
  const { session, instructions, messages } = request;
  const ids = wireIds(messages);
  return {
    model,
    instructions,
    input: messages.flatMap((message) =>
      itemsOf(model, message, { ids, tools, picture: request.picture })
    ),
    store: false,
    prompt_cache_key: session,
    // Nothing is kept there, so what it thought is handed over, sealed, and handed back.
    ...(reasons ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(maxOutput === undefined ? {} : { max_output_tokens: maxOutput }),
    ...(tools.tools.length === 0 ? {} : {
      tools: tools.tools.map(({ wire, tool, schema }) => ({
        type: "function" as const,
        name: wire,
        description: tool.description,
        parameters: plainJson(schema) as Record<string, unknown>,
        strict: false,
      })),
    }),
  };
}

function itemsOf(
  model: string,
  message: ModelMessage,
  { ids, tools, picture }: {
    readonly ids: ReadonlyMap<string, string>;
    readonly tools: WireTools;
    readonly picture: ModelRequest["picture"];
  },
): ResponseInputItem[] {
  if (message.role === "person") {
    const content = [
      ...personTexts(message).map((text) => ({ type: "input_text" as const, text })),
      ...imagesOf(message, picture),
    ];
    return content.length === 0 ? [] : [{ role: "user", content }];
  }
  if (message.role === "results") {
    return message.results.map((result) => {
      const text = resultText(result);
      const images = imagesOf(result, picture);
      return {
        type: "function_call_output",
        call_id: ids.get(result.call) ?? result.call,
        output: images.length === 0 ? text : [{ type: "input_text", text }, ...images],
      };
    });
  }
  return turnOf(model, message, ids, tools);
}

function imagesOf(
  of: { readonly pictures?: readonly KeptPicture[] },
  picture: ModelRequest["picture"],
): ResponseInputImage[] {
  return wirePictures(of, picture).map((one) => ({
    type: "input_image",
    detail: "auto",
    image_url: dataUrl(one),
  }));
}

function turnOf(
  model: string,
  message: Extract<ModelMessage, { role: "model" }>,
  ids: ReadonlyMap<string, string>,
  tools: WireTools,
): ResponseInputItem[] {
  const calls = message.calls.map(({ id, tool, input }): ResponseInputItem => ({
    type: "function_call",
    call_id: ids.get(id) ?? id,
    name: tools.wireOf(tool),
    arguments: stringifyJson(input),
  }));
  const words = (
    content: string,
    phase?: "commentary" | "final_answer",
  ): ResponseInputItem[] =>
    content === ""
      ? []
      : [{ role: "assistant", content, ...(phase === undefined ? {} : { phase }) }];
  const kept = readKept(model, message.opaque) ?? [];
  let read = 0;
  const items = kept.flatMap((item): ResponseInputItem[] => {
    switch (item.type) {
      case "text":
        return words(message.text.slice(read, read += item.length), item.phase);
      case "call":
        return calls.splice(0, 1);
      default:
        return [item];
    }
  });
  items.push(...words(message.text.slice(read)), ...calls);
  // Reasoning without what it led to is not taken.
  while (items.at(-1)?.type === "reasoning") items.pop();
  return items;
}
