/** What goes wrong between an agent and its models, with every vendor's interface alike. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "#internal/core/mod.ts";
import { ask, echo, echoes, KEY, MAX_ANSWER } from "./_asking.ts";
import { modelErrorOf } from "../../internal/agent/models/_errors.ts";
import type { KeptUsage } from "../../internal/agent/state.ts";
import type { Plan } from "./_stand_in_plan.ts";

const SAYS: Plan = { say: "Here." };

const schemaWith = (key: string) => ({ type: "object", properties: { [key]: { type: "string" } } });

/** Each vendor's interfaces; the stand-in speaks all of them. */
const INTERFACES = [
  "anthropic:claude-sonnet-5",
  "openai:gpt-5.5?api=responses",
  "openai:gpt-5.5?api=chat",
];

const events = (...all: readonly { readonly type?: string }[]) =>
  all.map((one) => `event: ${one.type ?? ""}\ndata: ${JSON.stringify(one)}\n\n`).join("");

/** What begins like an answer of each interface, and has something else where a text belongs. */
const RAW: { readonly [model: string]: string } = {
  "anthropic:claude-sonnet-5": events({
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: null },
  } as object),
  "openai:gpt-5.5?api=responses": events({
    type: "response.output_text.delta",
    output_index: 0,
    delta: null,
  } as object),
  "openai:gpt-5.5?api=chat": `data: ${
    JSON.stringify({ choices: [{ delta: { tool_calls: 7 } }] })
  }\n\n`,
};

const coded = (code: string): Error => Object.assign(new Error("a test's"), { code });

describe.each(INTERFACES)("asking %s", (model) => {
  const models = [model];
  const another = `${model}${model.includes("?") ? "&" : "?"}max-output=2000`;
  const notices = (events: readonly { readonly type: string; readonly text?: string }[]) =>
    events.flatMap(({ type, text = "" }) => type === "notice" ? [text] : []);

  test.each([
    [429, { "retry-after": "3" }, 3_000],
    [429, { "retry-after-ms": "2500" }, 2_500],
    [
      503,
      { "retry-after": "Tue, 01 Dec 2026 10:00:07 GMT", date: "Tue, 01 Dec 2026 10:00:00 GMT" },
      7_000,
    ],
    [529, {}, undefined],
    [500, {}, undefined],
    [408, {}, undefined],
  ])("asks again after %i with %j, no sooner than it is told", async (status, headers, least) => {
    const { end, waits, events, server } = await ask(
      [{ status, headers }, { status, headers }, SAYS],
      { models },
    );
    expect(end).toMatchObject({ how: "done", said: "Here." });
    expect(server.taken).toHaveLength(3);
    if (least === undefined) {
      expect(waits[0]).toBeGreaterThanOrEqual(500);
      expect(waits[0]).toBeLessThanOrEqual(1_000);
      expect(waits[1]).toBeGreaterThanOrEqual(1_000);
      expect(waits[1]).toBeLessThanOrEqual(2_000);
    } else expect(waits).toEqual([least, least]);
    expect(notices(events)[0]).toContain("; asking it again");
  });

  test("counts itself what a server counts in no whole numbers [A-591]", async () => {
    const usage = { input: 1e300, output: -1 };
    const { end, machine } = await ask([{ say: "Here.", usage }], { models });
    expect(end).toMatchObject({ how: "done", said: "Here." });
    const bodies = machine.sessions.read(end.session).flatMap(({ kind, body }) =>
      kind === "model-said" ? [body as unknown as { usage: KeptUsage }] : []
    );
    expect(bodies).toHaveLength(1);
    const { usage: kept } = bodies[0] as { usage: KeptUsage };
    expect(kept.estimated).toBe(true);
    expect(kept.input).toBeGreaterThan(0);
    expect(kept.input).toBeLessThan(100_000);
  });

  test("says of an answer of another form that it is one, not what broke on it", async () => {
    const raw = RAW[model] ?? "";
    const { end, server } = await ask([{ raw }], { models });
    expect(server.taken).toHaveLength(2);
    expect(end).toMatchObject({
      how: "stopped",
      message: `${model} gave an answer that is not of its interface`,
    });
  });

  test("gives up after four requests, and stops so that the run can go on later", async () => {
    const { end, server, machine } = await ask([{ status: 529 }], { models });
    expect(server.taken).toHaveLength(4);
    expect(end).toEqual({
      how: "stopped",
      session: end.session,
      code: "model-overloaded",
      message: `${model} is overloaded (529)`,
    });
    const kinds = machine.sessions.read(end.session).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "model-failed")).toHaveLength(4);
  });

  test("does not wait for a provider that wants an hour", async () => {
    const headers = { "retry-after": "3600" };
    const { end, waits, server } = await ask([{ status: 429, headers }], { models });
    expect(end).toMatchObject({ code: "model-overloaded" });
    expect(waits).toEqual([]);
    expect(server.taken).toHaveLength(1);
  });

  test("asks the next model when one stays overloaded, and stays with it [A-591 A-641]", async () => {
    const { end, server, lines } = await ask(
      [{ status: 529 }, { status: 529 }, { calls: [echoes("x")] }, SAYS],
      { models: [model, another] },
    );
    expect(end).toMatchObject({ how: "done", said: "Here." });
    expect(lines).toContain(`${model} is overloaded (529); asking ${another}`);
    expect(server.taken).toHaveLength(4);
  });

  test.each([
    [401, "credential", "does not take the key (401)"],
    [403, "credential", "does not take the key (403)"],
    [404, "refused", "is not known there (404)"],
    [400, "refused", "does not take the request (400)"],
    [302, "refused", "answers from elsewhere (302)"],
    [200, "refused", "answers in one piece, not with events: as planned"],
  ])("does not ask again after %i", async (status, code, says) => {
    const headers = { location: "http://127.0.0.1:1/" };
    const { end, server } = await ask([{ status, headers }], { models });
    expect(end).toMatchObject({ how: "stopped", code: `model-${code}` });
    expect(end).toMatchObject({ message: expect.stringContaining(`${model} ${says}`) });
    expect(server.taken).toHaveLength(1);
  });

  test("takes the page of a login for no answer, and shows none of it", async () => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    const { end, server } = await ask([{ status: 200, headers, body: "<h1>Log in" }], { models });
    expect(end).toMatchObject({ message: `${model} answers in one piece, not with events` });
    expect(server.taken).toHaveLength(1);
  });

  test("shows no key, whatever a provider says, and its words in one bounded line", async () => {
    const message = `Incorrect API key ${KEY}\n\u001b[31m${"x".repeat(10_000)}`;
    const { end, lines, json, machine } = await ask(
      [{ status: 401, body: { type: "error", error: { type: "authentication_error", message } } }],
      { models },
    );
    const log = JSON.stringify(
      machine.sessions.read(end.session),
      (_key, value: unknown) => typeof value === "bigint" ? String(value) : value,
    );
    const shown = [...lines, ...json, log, JSON.stringify(end)].join("\n");
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain("\u001b");
    expect(end).toMatchObject({ message: expect.stringMatching(/^.{50,400}$/) });
    expect(end).toMatchObject({ message: expect.stringContaining("Incorrect API key …\\n") });
  });

  test("tells words without a secret that comes in pieces, and characters whole [A-275]", async () => {
    const secret = "hunter2-hunter2";
    const { events, end } = await ask([{ say: `It is ${secret}, said 🙂🙂🙂🙂.` }], {
      models,
      machine: {
        secrets: {
          find: () => Promise.resolve(KEY),
          redactor: () => Promise.resolve(createRedactor([["PASSWORD", secret]])),
        },
      },
    });
    const told = events.flatMap((event) => event.type === "delta" ? [event.text] : []);
    expect(told.join("")).toBe("It is [secret PASSWORD], said 🙂🙂🙂🙂.");
    expect(told.every((text) => text.isWellFormed())).toBe(true);
    expect(end).toMatchObject({ said: "It is [secret PASSWORD], said 🙂🙂🙂🙂." });
  });

  test("tells a conversation that is too long from other requests that are not taken", async () => {
    const { end, server } = await ask([{
      status: 400,
      body: {
        type: "error",
        error: {
          type: "invalid_request_error",
          code: "context_length_exceeded",
          message: "prompt is too long: 215000 tokens > 200000 maximum",
        },
      },
    }], { models: [model, another] });
    expect(end).toMatchObject({ code: "model-context" });
    // Shortening the conversation helps; the next model is not asked for that.
    expect(server.taken).toHaveLength(1);
  });

  test.each(["end", "reset"] as const)(
    "takes no stream for an answer that is cut (%s), wherever that is, and asks again",
    async (how) => {
      const plan: Plan = { say: "I will pay now.", calls: [echoes("x")] };
      const { server } = await ask([plan, SAYS], { models });
      expect(server.taken).toHaveLength(2);
      for (const after of [0, 40, 300, 700, 1_000]) {
        const asked = await ask([{ ...plan, cut: { after, how } }, SAYS], { models });
        expect(asked.end, `cut after ${after}`).toMatchObject({ how: "done", said: "Here." });
        expect(asked.lines.join("\n")).not.toContain("→ echo");
        expect(asked.waits, `cut after ${after}`).toHaveLength(1);
      }
    },
  );

  test("does not wait for one that falls silent in the middle of its words", async () => {
    const hang: Plan = { say: "I will say much.", cut: { after: 900, how: "hang" } };
    const { end, server, lines } = await ask([hang, hang], {
      models,
      machine: { silenceLimitMs: 200 },
    });
    expect(end).toMatchObject({ code: "model-unreachable" });
    expect(lines.join("\n")).toContain(`${model} was silent for 0 s; asking it again`);
    expect(server.taken).toHaveLength(2);
    for (const { hungUp } of server.taken) await hungUp;
  });

  test("closes the connection at once when it is stopped, and keeps the words [A-640]", async () => {
    const stop = new AbortController();
    const much = "I will say much. ".repeat(100);
    const hang: Plan = { say: much, cut: { after: 4_000, how: "hang" } };
    const { end, server, machine } = await ask([hang, SAYS], {
      models,
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === "delta") stop.abort();
      },
    });
    expect(end).toMatchObject({ how: "stopped", code: "cancelled" });
    await server.taken[0]?.hungUp;
    const said = machine.sessions.read(end.session).find(({ kind }) => kind === "model-said");
    const text = expect.stringMatching(/^I will/);
    expect(said?.body).toMatchObject({ stop: "cut", calls: [], text });
  });

  test("ends a stream that never ends when the run's time is over", async () => {
    const hang: Plan = { say: "I will say much.", cut: { after: 900, how: "hang" } };
    const { end, server } = await ask([hang], { models, limits: { wallMs: 300 } });
    expect(end).toMatchObject({ how: "stopped", code: "time" });
    await server.taken[0]?.hungUp;
  });

  test("takes no answer that is longer than any can be", async () => {
    const { end, server } = await ask([
      { say: "x".repeat(MAX_ANSWER + 1), cut: { after: Infinity, how: "hang" } },
    ], { models });
    expect(end).toMatchObject({ code: "model-too-large" });
    await server.taken[0]?.hungUp;
  });

  test("asks an empty answer once more, and then says so", async () => {
    const { end, server } = await ask([{}], { models });
    expect(end).toMatchObject({ code: "model-empty", message: `${model} gave an empty answer` });
    expect(server.taken).toHaveLength(2);
  });

  test("lets what a model declines not be asked of the next", async () => {
    const { end, server } = await ask([{ stop: "filter" }], {
      models: [model, another],
    });
    expect(end).toMatchObject({ code: "model-declined", message: `${model} declined to answer` });
    expect(server.taken).toHaveLength(1);
  });

  test("leaves out tools that a provider refuses, says so once, and maps odd names back", async () => {
    const odd = { ...echo, name: "files.read/all" };
    const keyed = { ...echo, name: "keyed", inputSchema: schemaWith("$.xgafv") };
    const typed = { ...echo, name: "typed", inputSchema: { type: "string" } };
    const refused = { ...echo, name: "refused", inputSchema: schemaWith("refuse_me") };
    const { end, events, server, lines } = await ask(
      [
        SAYS,
        { calls: [{ tool: "files_read_all", json: '{"words":"x"}' }] },
        SAYS,
      ],
      { models, machine: { tools: [keyed, refused, odd, typed] } },
    );
    expect(end).toMatchObject({ how: "done", said: "Here." });
    expect(server.taken).toHaveLength(3);
    expect(lines).toContain(' → files.read/all {"words":"x"}');
    expect(notices(events)).toEqual([
      'tool keyed is not offered to the model: it names an argument "$.xgafv"',
      "tool typed is not offered to the model: its input is no object",
      "tool refused is not offered to the model: the provider refused it",
    ]);
  });

  test("says that nothing answers at an address", async () => {
    const { end } = await ask([], {
      models,
      machine: {
        env: {
          ANTHROPIC_API_KEY: KEY,
          ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
          OPENAI_API_KEY: KEY,
          OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
        },
      },
    });
    expect(end).toMatchObject({ code: "model-unreachable" });
    expect(end).toMatchObject({ message: expect.stringContaining(`${model} cannot be reached: `) });
  });
});

test.each([
  new SyntaxError("Unexpected token"),
  new TypeError("Cannot read properties of null (reading 'delta')"),
  new TypeError("parts is not iterable"),
])("modelErrorOf() knows what breaks on an answer of another form: %s", (thrown) => {
  const { code, message } = modelErrorOf("openai:m", thrown, []);
  expect([code, message]).toEqual([
    "unreachable",
    "openai:m gave an answer that is not of its interface",
  ]);
});

test.each([
  [new TypeError("terminated", { cause: coded("UND_ERR_SOCKET") }), "the connection broke off"],
  [new TypeError("fetch failed", { cause: coded("ECONNRESET") }), "ECONNRESET"],
  [
    new TypeError("fetch failed", {
      cause: Object.assign(coded("ENOTFOUND"), { hostname: "api.example" }),
    }),
    "there is no such host (api.example)",
  ],
  [
    new TypeError("fetch failed", {
      cause: new AggregateError([
        Object.assign(coded("ECONNREFUSED"), { address: "::1", port: 11434 }),
        Object.assign(coded("ECONNREFUSED"), { address: "127.0.0.1", port: 11434 }),
      ]),
    }),
    "nothing answers there ([::1]:11434)",
  ],
])("modelErrorOf() says what a connection died of: %s", (thrown, reason) => {
  expect(modelErrorOf("openai:m", thrown, []).message).toBe(
    `openai:m cannot be reached: ${reason}`,
  );
});

test("modelErrorOf() cuts a key out of a server's words, and no word that stands for none", () => {
  const error = { status: 400, error: { error: { message: "none of sk-test-0123 is known" } } };
  expect(modelErrorOf("openai:m", error, ["none"]).message).toContain("none of sk-test-0123 is");
  expect(modelErrorOf("openai:m", error, ["sk-test-0123"]).message).toContain("none of … is known");
});
