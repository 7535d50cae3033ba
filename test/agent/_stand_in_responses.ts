/** OpenAI's Responses API in the stand-in: the events of an answer, and what it does not take. */
import type { IncomingHttpHeaders } from "node:http";
import type { Said } from "./_stand_in_plan.ts";
import { pieces } from "./_stand_in_plan.ts";

/** What the stand-in gives for a thought: it takes back only what it gave. */
const sealed = (thought: string): string => `enc:${thought.length}:${thought.slice(0, 8)}`;

/** Makes an event; numbers them. */
function numbered(): (type: string, data: Record<string, unknown>) => string {
  let number = 0;
  return (type, data) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
}

/** The events of an answer, in the shapes of recorded streams. */
export function responsesEvents(
  { think, say, calls = [], stop, usage = { input: 21, output: 12 } }: Said,
  { model }: { readonly model: string },
): string[] {
  const event = numbered();
  const response = (status: string, more: Record<string, unknown>) => ({
    response: {
      id: "resp_standin",
      object: "response",
      created_at: 1_793_394_351,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      model,
      output: [],
      parallel_tool_calls: true,
      reasoning: { effort: "medium", summary: null },
      store: false,
      tool_choice: "auto",
      tools: [],
      usage: null,
      metadata: {},
      ...more,
    },
  });
  const events = [
    event("response.created", response("in_progress", {})),
    event("response.in_progress", response("in_progress", {})),
  ];
  const output: unknown[] = [];
  const item = (
    open: Record<string, unknown>,
    between: (place: Record<string, unknown>) => readonly string[],
    closed: Record<string, unknown>,
  ): void => {
    const place = { output_index: output.length };
    events.push(event("response.output_item.added", { ...place, item: open }));
    events.push(...between({ ...place, item_id: open["id"] }));
    events.push(event("response.output_item.done", { ...place, item: closed }));
    output.push(closed);
  };
  if (think !== undefined) {
    const reasoning = { id: "rs_1", type: "reasoning" };
    item({ ...reasoning, summary: [] }, () => [], {
      ...reasoning,
      encrypted_content: sealed(think),
      summary: [],
    });
  }
  if (say !== undefined || stop === "refusal") {
    const text = say ?? "I cannot help with that.";
    const message = { id: "msg_1", type: "message", role: "assistant", phase: "final_answer" };
    const refusal = stop === "refusal";
    const part = refusal
      ? { type: "refusal", refusal: text }
      : { type: "output_text", text, annotations: [], logprobs: [] };
    const empty = refusal ? { ...part, refusal: "" } : { ...part, text: "" };
    const name = refusal ? "response.refusal" : "response.output_text";
    item({ ...message, status: "in_progress", content: [] }, (of) => {
      const place = { ...of, content_index: 0 };
      return [
        event("response.content_part.added", { ...place, part: empty }),
        ...pieces(text).map((delta) => event(`${name}.delta`, { ...place, delta, logprobs: [] })),
        event(
          `${name}.done`,
          refusal ? { ...place, refusal: text } : { ...place, text, logprobs: [] },
        ),
        event("response.content_part.done", { ...place, part }),
      ];
    }, { ...message, status: "completed", content: [part] });
  }
  for (const [number, { tool, json }] of calls.entries()) {
    const call = {
      id: `fc_${number}`,
      type: "function_call",
      call_id: `call_${number}x`,
      name: tool,
    };
    item({ ...call, status: "in_progress", arguments: "" }, (place) => [
      ...pieces(json, 4_096).map((delta) =>
        event("response.function_call_arguments.delta", { ...place, delta })
      ),
      event("response.function_call_arguments.done", { ...place, name: tool, arguments: json }),
    ], { ...call, status: "completed", arguments: json });
  }
  const { input, output: written, cached = 0 } = usage;
  const counted = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + written,
  };
  const cut = stop === "length"
    ? "max_output_tokens"
    : stop === "filter"
    ? "content_filter"
    : undefined;
  events.push(
    cut === undefined
      ? event("response.completed", response("completed", { output, usage: counted }))
      : event(
        "response.incomplete",
        response("incomplete", { output, usage: counted, incomplete_details: { reason: cut } }),
      ),
  );
  return events;
}

interface Body {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly store?: unknown;
  readonly include?: readonly string[];
  readonly input?: readonly Record<string, unknown>[];
  readonly tools?: readonly {
    readonly type: string;
    readonly name: string;
    readonly parameters?: { readonly type?: string };
  }[];
}

/** Why the API would not take a request, in its words where they are known. */
export function responsesFault(body: Body, headers: IncomingHttpHeaders): string | undefined {
  if (!/^Bearer .+/.test(headers.authorization ?? "")) return "You didn't provide an API key.";
  if (typeof body.model !== "string") return "Missing required parameter: 'model'.";
  if (body.stream !== true) return "the stand-in only streams";
  if (body.store !== false) return "the stand-in keeps nothing";
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (tool.type !== "function") return `Invalid value: 'tools[${index}].type'.`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) {
      return `Invalid 'tools[${index}].name': string does not match pattern.`;
    }
    if (tool.parameters?.type !== "object") {
      return `Invalid schema for function: tools[${index}].parameters`;
    }
    if ("refuse_me" in (tool.parameters as { properties?: object }).properties!) {
      return `Invalid schema for function '${tool.name}': tools[${index}].parameters`;
    }
  }
  const input = body.input ?? [];
  const open: string[] = [];
  const given = new Set<string>();
  for (const [index, item] of input.entries()) {
    const { type = "message", call_id: id } = item;
    if (type === "reasoning") {
      if (!/^enc:\d+:/.test(String(item["encrypted_content"]))) {
        return "The encrypted content could not be verified.";
      }
      const next = input[index + 1];
      if (
        next === undefined || next["type"] === "function_call_output" || next["role"] === "user"
      ) {
        return `Item '${
          String(item["id"])
        }' of type 'reasoning' was provided without its required ` +
          "following item.";
      }
    }
    if (type === "function_call") {
      if (typeof item["arguments"] !== "string") {
        return `input[${index}].arguments: expected a string`;
      }
      if (given.has(String(id))) return `Duplicate function call id ${String(id)}.`;
      given.add(String(id));
      open.push(String(id));
    }
    if (type === "function_call_output") {
      if (!open.includes(String(id))) {
        return `No tool call found for function call output with call_id ${String(id)}.`;
      }
      open.splice(open.indexOf(String(id)), 1);
    }
  }
  return open.length === 0
    ? undefined
    : `No tool output found for function call ${open.join(", ")}.`;
}
