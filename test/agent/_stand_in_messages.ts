/** Anthropic's Messages API in the stand-in: the events of an answer, and what it does not take. */
import type { IncomingHttpHeaders } from "node:http";
import type { Said } from "./_stand_in_plan.ts";
import { pieces } from "./_stand_in_plan.ts";

/** The signature under a thought: the stand-in takes it back only with the same thought. */
export const signed = (thought: string): string => `sig:${thought.length}:${thought.slice(0, 8)}`;

const event = (data: { readonly type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** The events of an answer, in the shapes of recorded streams. */
export function messagesEvents(
  { think, say, calls = [], stop, usage = { input: 21, output: 12 } }: Said,
  { model }: { readonly model: string },
): string[] {
  const events: string[] = [];
  const { input, output, cached = 0 } = usage;
  events.push(event({
    type: "message_start",
    message: {
      model,
      id: "msg_01StandIn",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input - cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cached,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
        service_tier: "standard",
      },
    },
  }));
  let index = 0;
  const block = (
    start: Record<string, unknown>,
    deltas: readonly Record<string, unknown>[],
  ): void => {
    events.push(
      event({ type: "content_block_start", index, content_block: start }),
      ...(index === 0 ? ['event: ping\ndata: {"type": "ping"}\n\n'] : []),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    );
    index++;
  };
  if (think !== undefined) {
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(think).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: signed(think) },
    ]);
  }
  if (say !== undefined) {
    block(
      { type: "text", text: "" },
      pieces(say).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const [number, { tool, json }] of calls.entries()) {
    block({ type: "tool_use", id: `toolu_01${number}`, name: tool, input: {} }, [
      { type: "input_json_delta", partial_json: "" },
      ...pieces(json, 4_096).map((part) => ({ type: "input_json_delta", partial_json: part })),
    ]);
  }
  const reason = stop === "length"
    ? "max_tokens"
    : stop === undefined
    ? calls.length > 0 ? "tool_use" : "end_turn"
    : "refusal";
  events.push(
    event({
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: {
        input_tokens: input - cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cached,
        output_tokens: output,
      },
    }),
    event({ type: "message_stop" }),
  );
  return events;
}

interface Body {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
  readonly stream?: unknown;
  readonly system?: readonly Block[];
  readonly messages?: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly input_schema?: { readonly type?: string; readonly properties?: object };
  }[];
}

type Block = { readonly type: string; readonly cache_control?: unknown } & Record<string, unknown>;

/** Why the API would not take a request, in its words where they are known. */
export function messagesFault(body: Body, headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-api-key"] ?? headers.authorization;
  if (key === undefined) return "Authorization header is required";
  if (headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (typeof body.model !== "string") return "model: Field required";
  if (typeof body.max_tokens !== "number" || body.max_tokens < 1) {
    return "max_tokens: Field required";
  }
  if (body.stream !== true) return "the stand-in only streams";
  for (const [index, { name, input_schema: schema }] of (body.tools ?? []).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      return `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    }
    if (schema?.type !== "object") {
      return `tools.${index}.custom.input_schema.type: Input should be 'object'`;
    }
    for (const key of Object.keys(schema.properties ?? {})) {
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) {
        return `tools.${index}.custom.input_schema.properties: Property keys should match pattern ` +
          "'^[a-zA-Z0-9_.-]{1,64}$'";
      }
      if (key === "refuse_me") return `tools.${index}.custom.input_schema: JSON schema is invalid`;
    }
  }
  const messages = body.messages ?? [];
  const blocks = [...body.system ?? [], ...messages.flatMap(({ content }) => content)];
  const marked = blocks.filter((block) => block.cache_control !== undefined);
  if (marked.length > 4) return "A maximum of 4 blocks with cache_control may be provided";
  return conversationFault(messages);
}

function conversationFault(messages: NonNullable<Body["messages"]>): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== "user") {
    return "This model does not support assistant message prefill";
  }
  for (const [index, { role, content }] of messages.entries()) {
    const before = messages[index - 1];
    if (content.length === 0) return `messages.${index}: all messages must have non-empty content`;
    if (before?.role === role) return `messages.${index}: roles must alternate`;
    for (const block of content) {
      const text = block["text"];
      if (block.type === "text" && (typeof text !== "string" || text.trim() === "")) {
        return "messages: text content blocks must contain non-whitespace text";
      }
      const { thinking, signature } = block as { thinking?: string; signature?: string };
      if (block.type === "thinking" && signature !== signed(String(thinking))) {
        return `messages.${index}: Invalid \`signature\` in \`thinking\` block`;
      }
      if (
        block.type === "tool_use" && (block["input"] === null || typeof block["input"] !== "object")
      ) {
        return `messages.${index}: tool_use.input: Input should be a valid dictionary`;
      }
    }
    const asked = idsOf(before?.content ?? [], "tool_use", "id");
    const answered = idsOf(content, "tool_result", "tool_use_id");
    if (role === "user" && asked.join() !== answered.join()) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks ` +
        `immediately after: ${asked.join(", ")}`;
    }
  }
  return undefined;
}

function idsOf(content: readonly Block[], type: string, key: string): string[] {
  return content.filter((block) => block.type === type).map((block) => String(block[key])).sort();
}
