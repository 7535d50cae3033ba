/** OpenAI's Chat Completions in the stand-in: the chunks of an answer, and what it does not take. */
import type { IncomingHttpHeaders } from "node:http";
import type { Said } from "./_stand_in_plan.ts";
import { pieces } from "./_stand_in_plan.ts";

/** The chunks of an answer, in the shapes of recorded streams. */
export function chatEvents(
  { think, say, calls = [], stop, usage = { input: 21, output: 12 } }: Said,
  { model, stream_options: options }: Body,
): string[] {
  const chunk = (choices: readonly unknown[], more: Record<string, unknown> = {}): string =>
    `data: ${
      JSON.stringify({
        id: "chatcmpl-standin",
        object: "chat.completion.chunk",
        created: 1_793_394_351,
        model,
        choices,
        ...more,
      })
    }\n\n`;
  const delta = (delta: Record<string, unknown>, finish: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }]);
  const events = [delta({ role: "assistant", content: "" })];
  for (const piece of pieces(think ?? "")) events.push(delta({ reasoning_content: piece }));
  for (const piece of pieces(say ?? "")) {
    events.push(delta(stop === "refusal" ? { refusal: piece } : { content: piece }));
  }
  for (const [index, { tool, json }] of calls.entries()) {
    const id = `call_${index}`;
    events.push(
      delta({
        tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }],
      }),
      ...pieces(json, 4_096).map((part) =>
        delta({ tool_calls: [{ index, function: { arguments: part } }] })
      ),
    );
  }
  const reason = stop === "length"
    ? "length"
    : stop === "filter"
    ? "content_filter"
    : calls.length > 0
    ? "tool_calls"
    : "stop";
  events.push(delta({}, reason));
  if (options?.include_usage === true) {
    events.push(chunk([], {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
      },
    }));
  }
  events.push("data: [DONE]\n\n");
  return events;
}

interface Body {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly (Record<string, unknown> & { readonly role: string })[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly parameters?: { readonly type?: string } };
  }[];
}

/** Why the API would not take a request, in its words where they are known. */
export function chatFault(body: Body, _headers: IncomingHttpHeaders): string | undefined {
  if (typeof body.model !== "string") return "you must provide a model parameter";
  if (body.stream !== true) return "the stand-in only streams";
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name)) {
      return `Invalid 'tools[${index}].function.name': string does not match pattern.`;
    }
    if ("refuse_me" in ((tool.function.parameters as { properties?: object })?.properties ?? {})) {
      return `Invalid schema for function '${tool.function.name}': tools[${index}].function.parameters`;
    }
    if (tool.function.parameters?.type !== "object") return `Invalid schema: tools[${index}]`;
  }
  let open: string[] = [];
  for (const [index, message] of (body.messages ?? []).entries()) {
    if (message.role === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) {
        return `messages.[${index}].role: 'tool' must be a response to a preceding message with 'tool_calls'.`;
      }
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) {
      return "An assistant message with 'tool_calls' must be followed by tool messages responding to " +
        `each 'tool_call_id': ${open.join(", ")}`;
    }
    const calls = message["tool_calls"] as readonly { readonly id: string }[] | undefined;
    if (calls !== undefined && calls.length === 0) {
      return `messages[${index}].tool_calls: array too short`;
    }
    if (message.role !== "assistant" && (message["content"] ?? "") === "") {
      return `messages[${index}].content: must not be empty`;
    }
    open = calls?.map(({ id }) => id) ?? [];
    if (new Set(open).size !== open.length) return `messages[${index}].tool_calls: ids repeat`;
  }
  return open.length === 0 ? undefined : `tool_calls without an answer: ${open.join(", ")}`;
}
