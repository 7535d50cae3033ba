/** Anthropic's models, answered by the stand-in. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { createRedactor } from "#internal/core/mod.ts";
import { ask, echoes, KEY, say } from "./_asking.ts";
import { standInOf } from "./_stand_in.ts";
import { signed } from "./_stand_in_messages.ts";

const MODEL = "anthropic:claude-sonnet-5";
const models = [MODEL];

describe("anthropic:<model>", () => {
  test("streams words, makes parallel calls and hands their results back [A-595 A-596 A-640]", async () => {
    const asked = await ask(
      [{ say: "Twice.", calls: [echoes("one"), echoes("two")] }, { say: "Done, naïvely." }],
      { models },
    );
    expect(asked.end).toMatchObject({ how: "done", said: "Twice.\n\nDone, naïvely." });
    expect(asked.events.filter(({ type }) => type === "delta").length).toBeGreaterThan(2);
    expect(asked.lines.slice(1, 6)).toEqual([
      "agent: Twice.",
      ' → echo {"words":"one"}',
      ' → echo {"words":"two"}',
      " ← one",
      " ← two",
    ]);
    const [first, second] = asked.server.taken;
    expect(first?.path).toBe("/v1/messages");
    expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(first?.body).toMatchObject({
      model: "claude-sonnet-5",
      max_tokens: 64_000,
      stream: true,
    });
    expect(first?.body.tools).toMatchObject([{ name: "echo", input_schema: { type: "object" } }]);
    expect(second?.body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Twice." },
          { type: "tool_use", id: "toolu_010", name: "echo", input: { words: "one" } },
          { type: "tool_use", id: "toolu_011", name: "echo", input: { words: "two" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_010", content: "one" },
          {
            type: "tool_result",
            tool_use_id: "toolu_011",
            content: "two",
            cache_control: { type: "ephemeral" },
          },
        ],
      },
    ]);
  });

  test("asks at the address and with the headers of the vendor's client [A-595 A-640]", async () => {
    const { server } = await ask([{ say: "Done." }], { models });
    const client = new Anthropic({ apiKey: KEY, baseURL: server.url, maxRetries: 0 });
    const { model, max_tokens, messages } = server.taken[0]?.body ?? {};
    await client.messages.stream({ model, max_tokens, messages }).finalMessage();
    const [ours, theirs] = server.taken.map(({ path, headers }) => [
      path,
      headers.authorization,
      headers["anthropic-version"],
      headers["content-type"],
      headers["x-api-key"],
    ]);
    expect(ours).toEqual(theirs);
  });

  test("hands signed thinking back where it stood, to the model that thought it [A-640]", async () => {
    const asked = await ask(
      [{ think: "It echoes.", say: "Now.", calls: [echoes("x")] }, { say: "Yes." }],
      { models },
    );
    expect(asked.end.how).toBe("done");
    expect(asked.server.taken[1]?.body.messages[1].content).toMatchObject([
      { type: "thinking", thinking: "It echoes.", signature: signed("It echoes.") },
      { type: "text", text: "Now." },
      { type: "tool_use", name: "echo" },
    ]);
    expect(asked.lines.join("\n")).not.toContain("It echoes.");
  });

  test("gives another model the turn without the thinking", async () => {
    const asked = await ask(
      [
        { think: "It echoes.", calls: [echoes("x")] },
        { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "x" } } },
        { status: 529 },
        { say: "Yes." },
      ],
      { models: [MODEL, "anthropic:claude-haiku-4-5"] },
    );
    expect(asked.end).toMatchObject({ how: "done", said: "Yes." });
    const last = asked.server.taken.at(-1);
    expect(last?.body.model).toBe("claude-haiku-4-5");
    expect(last?.body.messages[1].content).toMatchObject([{ type: "tool_use" }]);
  });

  test("marks what is to be cached: instructions, and the ends of the last two messages", async () => {
    const asked = await ask(
      [{ calls: [echoes("1")] }, { calls: [echoes("2")] }, { say: "x" }],
      { models },
    );
    const { system, messages } = asked.server.taken[2]!.body;
    const marked = messages.flatMap((
      message: { content: { cache_control?: unknown }[] },
      at: number,
    ) => message.content.some((block) => block.cache_control !== undefined) ? [at] : []);
    expect(system).toMatchObject([{ type: "text", cache_control: { type: "ephemeral" } }]);
    expect(marked).toEqual([2, 4]);
  });

  test("keeps what a turn took, cached tokens apart, and what it cost [A-641]", async () => {
    const asked = await ask(
      [{ say: "x", usage: { input: 10_000, output: 100, cached: 8_000 } }],
      { models },
    );
    const { machine, end } = asked;
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    // 2,000 fresh at 2 USD, 8,000 cached at 0.2, 100 written at 10 a million.
    expect(said?.body).toMatchObject({
      usage: {
        input: 10_000,
        output: 100,
        estimated: false,
        cached: 8_000,
        costMicro: 4_000 + 1_600 + 1_000,
      },
    });
  });

  test.each([
    ["claude-sonnet-5?effort=high", {
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    }],
    ["claude-haiku-4-5?effort=low", { thinking: { type: "enabled", budget_tokens: 4_096 } }],
    ["claude-sonnet-5?effort=none", { thinking: { type: "disabled" } }],
    ["claude-sonnet-5?max-output=500", { max_tokens: 1_024 }],
    ["claude-opus-4-1-20250805", { max_tokens: 32_000 }],
    ["claude-x?context=20000", { max_tokens: expect.toSatisfy((n: number) => n < 18_000) }],
  ])("asks %s as it is named", async (model, expected) => {
    const { server } = await ask([{ say: "x" }], { models: [`anthropic:${model}`] });
    expect(server.taken[0]?.body).toMatchObject(expected);
    expect(server.taken[0]?.body.model).toBe(model.replace(/\?.*/, ""));
  });

  test("makes no call whose arguments were cut, and says so to the model", async () => {
    const asked = await ask(
      [
        { say: "W", calls: [{ tool: "echo", json: '{"words":"abc' }], stop: "length" },
        { calls: [{ tool: "echo", json: '{"words":' }] },
        { say: "Smaller." },
      ],
      { models },
    );
    expect(asked.lines.filter((line) => line.startsWith(" ✗"))).toEqual([
      expect.stringContaining("the answer was cut off before this call was certainly whole"),
      expect.stringContaining("the input of echo is not a JSON object"),
    ]);
    // The API takes only objects as what was asked.
    expect(asked.server.taken[2]?.body.messages[3].content[0]).toMatchObject({ input: {} });
  });

  test("takes an input of a megabyte, and big integers as they are", async () => {
    const words = "ä".repeat(500_000);
    const asked = await ask(
      [{ calls: [echoes(words), { tool: "echo", json: '{"words":9007199254740993}' }] }, {
        say: "x",
      }],
      { models },
    );
    const [text, number] = asked.server.taken[1]!.body.messages[1].content;
    expect(text.input.words).toBe(words);
    expect(
      asked.machine.sessions.read(asked.end.session).some(({ body }) =>
        JSON.stringify(body, (_k, v: unknown) => typeof v === "bigint" ? `${v}n` : v)
          .includes("9007199254740993n")
      ),
    ).toBe(true);
    expect(number.type).toBe("tool_use");
  });

  test("reads a stream that is split at every byte, with pings and comments", async () => {
    const plan = { think: "Hm.", say: "Grüße, 🙂.", calls: [echoes("é")], pings: true, split: 1 };
    const { end, server } = await ask([plan, { say: "ok" }], { models });
    expect(end).toMatchObject({ how: "done", said: "Grüße, 🙂.\n\nok" });
    expect(server.taken[1]?.body.messages[1].content[2].input).toEqual({ words: "é" });
  });

  test("goes on in a later message of the person's, after an answer with nothing in it", async () => {
    const first = await ask([{ calls: [echoes("x")] }, {}, { say: "Hello." }], { models });
    expect(first.end).toMatchObject({ how: "done", said: "" });
    const second = await say(first, "And?");
    expect(second.end).toMatchObject({ how: "done", said: "Hello." });
    expect(first.server.taken[2]?.body.messages.at(-1).content).toMatchObject([
      { type: "tool_result" },
      { type: "text", text: "And?" },
    ]);
  });

  test("needs a key, and says how to keep one [A-640]", async () => {
    await expect(ask([], { models, machine: { env: {} } })).rejects.toThrow(
      /^model anthropic:claude-sonnet-5 needs ANTHROPIC_API_KEY: keep it with `sion agent credential add ANTHROPIC_API_KEY`$/,
    );
  });

  test("takes a kept key where the environment has none [A-640]", async () => {
    const server = await standInOf([{ say: "x" }]);
    const asked: string[] = [];
    const { end } = await ask([], {
      models,
      machine: {
        env: { ANTHROPIC_BASE_URL: server.url },
        secrets: {
          find: (name) => Promise.resolve(asked.push(name) === 1 ? "kept-key" : undefined),
          redactor: () => Promise.resolve(createRedactor([])),
        },
      },
    });
    expect(end.how).toBe("done");
    expect(asked).toEqual(["ANTHROPIC_API_KEY"]);
    expect(server.taken[0]?.headers.authorization).toBe("Bearer kept-key");
  });
});
