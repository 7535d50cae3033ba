/** The stand-in is itself read by the vendors' own clients: what they take is what it may send. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Plan } from "./_stand_in_plan.ts";
import { standInOf } from "./_stand_in.ts";

const PLAN: Plan = {
  think: "The sum is four.",
  say: "It is four, naïvely.",
  calls: [{ tool: "read_file", json: '{"path":"a.txt"}' }, { tool: "read_file", json: "{}" }],
  usage: { input: 120, output: 30, cached: 100 },
};

const SHAPES: readonly [string, Partial<Extract<Plan, { split?: number }>>][] = [
  ["in one piece", {}],
  ["byte by byte", { split: 1 }],
  ["with pings and comments", { pings: true }],
];

describe("the stand-in for providers of models", () => {
  test.each(SHAPES)("is read by @anthropic-ai/sdk, %s [A-013]", async (_how, shape) => {
    const { url } = await standInOf([{ ...PLAN, ...shape }]);
    const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
    const message = await client.messages.stream({
      model: "claude-sonnet-5",
      max_tokens: 100,
      messages: [{ role: "user", content: [{ type: "text", text: "2 + 2?" }] }],
    }).finalMessage();
    expect(message.content.map((block) => block.type)).toEqual([
      "thinking",
      "text",
      "tool_use",
      "tool_use",
    ]);
    expect(message.content[1]).toMatchObject({ text: "It is four, naïvely." });
    expect(message.content[2]).toMatchObject({ input: { path: "a.txt" } });
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 100 });
  });

  test.each(SHAPES)("is read by openai's Responses, %s [A-013]", async (_how, shape) => {
    const { url } = await standInOf([{ ...PLAN, ...shape }]);
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    const response = await client.responses.stream({
      model: "gpt-5.5",
      store: false,
      input: [{ role: "user", content: "2 + 2?" }],
    }).finalResponse();
    expect(response.output.map((item) => item.type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    expect(response.output_text).toBe("It is four, naïvely.");
    expect(response.usage?.input_tokens_details.cached_tokens).toBe(100);
  });

  test.each(SHAPES)("is read by openai's Chat Completions, %s [A-013]", async (_how, shape) => {
    const { url } = await standInOf([{ ...PLAN, ...shape }]);
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: "llama3",
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "2 + 2?" }],
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]?.message.content).toBe("It is four, naïvely.");
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: "read_file", arguments: '{"path":"a.txt"}' },
    });
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(usage?.prompt_tokens).toBe(120);
  });

  test("ends as the clients expect when it is told to refuse [A-013]", async () => {
    const { url } = await standInOf([{ stop: "refusal" }]);
    const anthropic = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
    const message = await anthropic.messages.stream({
      model: "claude-sonnet-5",
      max_tokens: 100,
      messages: [{ role: "user", content: [{ type: "text", text: "No." }] }],
    }).finalMessage();
    expect(message.stop_reason).toBe("refusal");
    const openai = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    const response = await openai.responses.stream({
      model: "gpt-5.5",
      store: false,
      input: [{ role: "user", content: "No." }],
    }).finalResponse();
    expect(response.output[0]).toMatchObject({ content: [{ type: "refusal" }] });
  });
});
