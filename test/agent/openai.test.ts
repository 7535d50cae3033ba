/** OpenAI's models and compatible servers, asked through the vendor's client, answered by the stand-in. */
import { describe, expect, test } from "vitest";
import { openModel } from "../../internal/agent/models/mod.ts";
import { openai } from "../../internal/agent/models/openai/mod.ts";
import { ask, echoes, KEY, say } from "./_asking.ts";

describe("openai:<model> by Responses", () => {
  const models = ["openai:gpt-5.5?api=responses"];

  test("streams words, makes parallel calls and hands their results back [A-595 A-640]", async () => {
    const asked = await ask(
      [{ say: "Twice.", calls: [echoes("one"), echoes("two")] }, { say: "Done, naïvely." }],
      { models },
    );
    expect(asked.end).toMatchObject({ how: "done", said: "Twice.\n\nDone, naïvely." });
    expect(asked.events.filter(({ type }) => type === "delta").length).toBeGreaterThan(2);
    const [first, second] = asked.server.taken;
    expect(first?.path).toBe("/v1/responses");
    expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(first?.body).toMatchObject({
      model: "gpt-5.5",
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: asked.end.session,
      tools: [{ type: "function", name: "echo", strict: false, parameters: { type: "object" } }],
    });
    expect(second?.body.input.slice(1)).toEqual([
      { role: "assistant", content: "Twice.", phase: "final_answer" },
      { type: "function_call", call_id: "call_0x", name: "echo", arguments: '{"words":"one"}' },
      { type: "function_call", call_id: "call_1x", name: "echo", arguments: '{"words":"two"}' },
      { type: "function_call_output", call_id: "call_0x", output: "one" },
      { type: "function_call_output", call_id: "call_1x", output: "two" },
    ]);
  });

  test("hands sealed reasoning back before what it led to, to the model that made it", async () => {
    const { server, end } = await ask(
      [{ think: "It echoes.", calls: [echoes("x")] }, { status: 503 }, { status: 503 }, {
        say: "Yes.",
      }],
      { models: [...models, "openai:gpt-5.4?api=responses"] },
    );
    expect(end).toMatchObject({ how: "done", said: "Yes." });
    expect(server.taken[1]?.body.input.slice(1, 3)).toMatchObject([
      { type: "reasoning", id: "rs_1", encrypted_content: expect.stringMatching(/^enc:/) },
      { type: "function_call" },
    ]);
    expect(server.taken[3]?.body.input[1]).toMatchObject({ type: "function_call" });
  });

  test("gives back no reasoning that led to nothing, of an answer that was cut", async () => {
    const first = await ask([{ think: "Long.", stop: "length" }, { say: "Hello." }], { models });
    expect(first.end).toMatchObject({ how: "done", said: "" });
    await say(first, "And?");
    expect(first.server.taken[1]?.body.input.map((item: { role?: string }) => item.role)).toEqual([
      "user",
      "user",
    ]);
  });

  test("asks with an effort, and a model that does not reason without its reasoning", async () => {
    const one = await ask([{ say: "x" }], {
      models: ["openai:gpt-5.5?api=responses&effort=xhigh"],
    });
    expect(one.server.taken[0]?.body.reasoning).toEqual({ effort: "xhigh" });
    const two = await ask([{ say: "x" }], { models: ["openai:gpt-4.1?api=responses"] });
    expect(two.server.taken[0]?.body.include).toBeUndefined();
  });

  test("shows a refusal as the model's words", async () => {
    const { end } = await ask([{ stop: "refusal" }], { models });
    expect(end).toMatchObject({ how: "done", said: "I cannot help with that." });
  });

  test("keeps what a turn took and cost, above a size at its own price [A-641]", async () => {
    const usage = { input: 300_000, output: 1_000, cached: 100_000 };
    const { machine, end } = await ask([{ say: "x", usage }], { models });
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    // Above 272,000: 200,000 at 10 USD, 100,000 cached at 1, 1,000 written at 45 a million.
    expect(said?.body).toMatchObject({ usage: { costMicro: 2_000_000 + 100_000 + 45_000 } });
  });

  test("reads a stream that is split at every byte, with pings and comments", async () => {
    const plan = { think: "Hm.", say: "Grüße, 🙂.", calls: [echoes("é")], pings: true, split: 1 };
    const { end, server } = await ask([plan, { say: "ok" }], { models });
    expect(end).toMatchObject({ how: "done", said: "Grüße, 🙂.\n\nok" });
    expect(server.taken[1]?.body.input.at(-2).arguments).toBe('{"words":"é"}');
  });

  test("says what went wrong inside a stream, and asks again where that helps", async () => {
    const failed = (code: string, message: string) => ({
      raw: `event: response.failed\ndata: ${
        JSON.stringify({
          type: "response.failed",
          sequence_number: 0,
          response: { id: "r", status: "failed", error: { code, message }, output: [] },
        })
      }\n\n`,
    });
    const one = await ask([failed("server_error", "Sorry."), { say: "Here." }], { models });
    expect(one.end).toMatchObject({ how: "done", said: "Here." });
    const two = await ask([failed("invalid_prompt", "No.")], { models });
    const message = `${models[0]} failed: No`;
    expect(two.end).toMatchObject({ how: "stopped", code: "model-refused", message });
  });
});

describe("openai:<model> by Chat Completions", () => {
  const models = ["openai:llama3.3:70b"];

  test("asks a compatible server, and hands calls and results back [A-595 A-640]", async () => {
    const asked = await ask(
      [{ say: "Twice.", calls: [echoes("one"), echoes("two")] }, { say: "Done, naïvely." }],
      { models },
    );
    expect(asked.end).toMatchObject({ how: "done", said: "Twice.\n\nDone, naïvely." });
    const [first, second] = asked.server.taken;
    expect(first?.path).toBe("/v1/chat/completions");
    expect(first?.body).toMatchObject({
      model: "llama3.3:70b",
      stream_options: { include_usage: true },
      messages: [{ role: "system" }, { role: "user", content: "Go." }],
    });
    expect(first?.body).not.toHaveProperty("prompt_cache_key");
    expect(second?.body.messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: "Twice.",
        tool_calls: [
          {
            id: "call_0",
            type: "function",
            function: { name: "echo", arguments: '{"words":"one"}' },
          },
          {
            id: "call_1",
            type: "function",
            function: { name: "echo", arguments: '{"words":"two"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_0", content: "one" },
      { role: "tool", tool_call_id: "call_1", content: "two" },
    ]);
  });

  test("keeps calls apart whose ids a server gives again in each turn", async () => {
    const { end, server } = await ask(
      [{ calls: [echoes("1")] }, { calls: [echoes("2")] }, { say: "ok" }],
      { models },
    );
    expect(end.how).toBe("done");
    const ids = server.taken[2]?.body.messages.flatMap((message: { tool_call_id?: string }) =>
      message.tool_call_id ?? []
    );
    expect(ids).toEqual(["call_0", "call_2_1"]);
  });

  test("needs no key of a server that is not OpenAI's, and its cost is not known", async () => {
    const base = await ask([{ say: "x" }], { models });
    const { end, machine } = await ask([{ say: "x" }], {
      models,
      machine: { env: { OPENAI_BASE_URL: `${base.server.url}/v1/` } },
    });
    expect(end.how).toBe("done");
    expect(base.server.taken[1]?.headers.authorization).toBe("Bearer none");
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    expect(said?.body).toMatchObject({ usage: { input: 21, output: 12, estimated: false } });
    expect(JSON.stringify(said?.body)).not.toContain("costMicro");
  });

  test("takes a price that is named with the model", async () => {
    const { end, machine } = await ask([{ say: "x" }], { models: ["openai:m?price=2/10"] });
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    expect(said?.body).toMatchObject({ usage: { costMicro: 42 + 120 } });
  });

  const chunk = (choice: unknown, more: object = {}) =>
    `data: ${
      JSON.stringify({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: choice === undefined ? undefined : [choice],
        ...more,
      })
    }\n\n`;
  const delta = (value: object, finish: string | null = null) =>
    chunk({ index: 0, delta: value, finish_reason: finish });

  test("counts for itself where a server counts nothing, and says so", async () => {
    const raw = delta({ role: "assistant", content: "Hello there." }) + delta({}, "stop");
    const { end, machine } = await ask([{ raw }], { models });
    expect(end).toMatchObject({ how: "done", said: "Hello there." });
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    expect(said?.body).toMatchObject({ usage: { estimated: true, output: 4 } });
  });

  test("reads the calls of servers that give them one place, no place, or whole objects", async () => {
    const call = (id: string, words: unknown, place: object) => ({
      tool_calls: [{
        id,
        type: "function",
        function: { name: "echo", arguments: words },
        ...place,
      }],
    });
    const raw = delta(call("a", '{"words":"1"}', { index: 0 })) +
      delta(call("b", '{"words":"2"}', { index: 0 })) +
      delta(call("c", { words: "3" }, {})) +
      chunk(undefined) + "data: [DONE]\n\n";
    const whole = raw.replace("data: [DONE]", `${delta({}, "tool_calls")}data: [DONE]`);
    const { lines } = await ask([{ raw: whole }, { say: "ok" }], { models });
    expect(lines.filter((line) => line.startsWith(" ←"))).toEqual([" ← 1", " ← 2", " ← 3"]);
  });

  test("hands back what DeepSeek and Gemini want back, while their calls go on", async () => {
    const raw = delta({ reasoning_content: "Hm. " }) + delta({ reasoning_content: "Yes." }) +
      delta({
        tool_calls: [{
          index: 0,
          id: "a",
          type: "function",
          function: { name: "echo", arguments: '{"words":"1"}' },
          extra_content: { google: { thought_signature: "sig" } },
        }],
      }) + delta({}, "tool_calls") + "data: [DONE]\n\n";
    const first = await ask([{ raw }, { say: "ok" }, { say: "ok" }], { models });
    expect(first.server.taken[1]?.body.messages[2]).toMatchObject({
      reasoning_content: "Hm. Yes.",
      tool_calls: [{ extra_content: { google: { thought_signature: "sig" } } }],
    });
    await say(first, "More.");
    expect(first.server.taken[2]?.body.messages[2]).not.toHaveProperty("reasoning_content");
  });

  test.each([
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
      "vLLM",
    ],
    ["the request exceeds the available context size, try increasing it", "llama.cpp"],
    [
      "Trying to keep the first 9000 tokens when context the overflows. context length of 4096",
      "LM Studio",
    ],
    [
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      "Gemini",
    ],
  ])("knows a conversation that is too long from its words: %s (%s)", async (message) => {
    const { end } = await ask([{ status: 400, body: { error: { message, type: "x" } } }], {
      models,
    });
    expect(end).toMatchObject({ code: "model-context" });
  });

  test("does not wait for credit", async () => {
    const body = {
      error: { code: "insufficient_quota", message: "You exceeded your current quota." },
    };
    const { end, server } = await ask([{ status: 429, body }], { models });
    expect(end).toMatchObject({
      code: "model-refused",
      message: expect.stringContaining("has no credit"),
    });
    expect(server.taken).toHaveLength(1);
  });
});

describe("openai", () => {
  const readText = () => Promise.reject(new Error("not read"));
  const open = (rest: string, env: Record<string, string> = {}) =>
    openai.open(rest, { env: { OPENAI_API_KEY: KEY, ...env }, readText });

  test.each([
    [
      "gpt-5.5?effort=hard",
      "openai:gpt-5.5?effort=hard: effort=hard is wrong: give none, minimal, low, ",
    ],
    ["gpt-5.5?api=soap", "openai:gpt-5.5?api=soap: api=soap is wrong: give chat or responses"],
    [
      "gpt-5.5?speed=1",
      "openai:gpt-5.5?speed=1: speed is no option of a model: give effort, context, ",
    ],
    ["gpt-5.5?context=12", "context=12 is wrong: give a number of tokens, like 200000"],
    ["gpt-5.5?price=1", "price=1 is wrong: give USD a million tokens in and out, like 0.5/1.5"],
    ["two words", '"openai:two words" names no model: give openai:<model>'],
  ])("says what is wrong with %s [A-596]", async (rest, says) => {
    await expect(open(rest)).rejects.toThrow(says);
  });

  test.each([
    ["not a url", "OPENAI_BASE_URL is no web address"],
    ["ftp://host/v1", "OPENAI_BASE_URL is no web address"],
    ["http://me:secret@host/v1", "OPENAI_BASE_URL holds a password"],
  ])("takes no address like %s", async (url, says) => {
    await expect(open("m", { OPENAI_BASE_URL: url })).rejects.toThrow(says);
    await expect(open("m", { OPENAI_BASE_URL: url })).rejects.not.toThrow("secret");
  });

  test("needs a key for OpenAI itself [A-640]", async () => {
    await expect(open("gpt-5.5", { OPENAI_API_KEY: " " })).rejects.toThrow(
      "model openai:gpt-5.5 needs OPENAI_API_KEY: keep it with `sion agent credential add OPENAI_API_KEY`",
    );
    await expect(open("gpt-5.5", { OPENAI_API: "soap" })).rejects.toThrow(
      "OPENAI_API is soap: give chat or responses",
    );
  });

  test("knows what models read, and takes a person's word for it", async () => {
    expect((await open("gpt-5.4-2026-03-05")).contextTokens).toBe(922_000);
    expect((await open("gpt-5.4?context=100000")).contextTokens).toBe(100_000);
    expect((await open("no-such")).contextTokens).toBe(128_000);
  });

  test("reads as much as SION_MODEL_CONTEXT says, as every model", async () => {
    const openScript = (given: string) =>
      openModel("script:x", {
        env: { SION_MODEL_CONTEXT: given },
        readText: () => Promise.resolve("[]"),
      });
    expect((await openScript("9000")).contextTokens).toBe(9_000);
    await expect(openScript("many")).rejects.toThrow(
      "SION_MODEL_CONTEXT is many: give tokens, like 200000",
    );
  });
});
