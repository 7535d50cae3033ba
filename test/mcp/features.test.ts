/** What a server offers besides tools: questions to the client, logs, changes, prompts, resources. */
import { describe, expect, it } from "vitest";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import type { ServerDefinition } from "#internal/mcp/mod.ts";
import { openState, sealState } from "../../internal/mcp/request_state.ts";
import { conformanceServer } from "../conformance/_fixture.ts";
import {
  answersTo,
  definition,
  MODERN,
  modernRequest,
  openPeer,
  type Peer,
  request,
} from "./_peer.ts";

type Answer = Record<string, JsonValue>;

const call = (name: string, more: object = {}) => ({ name, arguments: {}, ...more });
const offering = (capabilities: object) => ({
  _meta: { ...MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities },
});
const initialize = (capabilities: object = {}) =>
  request(1, "initialize", { protocolVersion: "2025-11-25", capabilities });

async function only(message: unknown, server: ServerDefinition = conformanceServer()) {
  const [answer] = await answersTo([message], server);
  return answer as { result?: Answer; error?: Answer };
}

/** What a peer got so far, parsed. */
function linesOf(peer: Peer): Answer[] {
  return peer.output.lines.map((line) => parseJson(line) as Answer);
}

describe("a server that offers nothing besides tools", () => {
  it("declares nothing else and has no method of it, in either era", async () => {
    const methods = [
      "prompts/list",
      "resources/read",
      "completion/complete",
      "subscriptions/listen",
    ];
    const answers = await answersTo([
      initialize(),
      modernRequest(2, "server/discover"),
      ...methods.map((method, at) => modernRequest(10 + at, method)),
      ...["prompts/get", "logging/setLevel", "resources/subscribe"].map((method, at) =>
        request(20 + at, method)
      ),
    ], definition());
    const [legacy, modern, ...rest] = answers;
    expect(legacy?.["result"]).toHaveProperty("capabilities", { tools: {} });
    expect(modern?.["result"]).toHaveProperty("capabilities", { tools: {} });
    for (const { error } of rest) expect(error).toHaveProperty("code", -32601);
  });
});

describe("Peer.ask() before 2026-07-28", () => {
  const open = (capabilities: object): Peer => {
    const peer = openPeer(conformanceServer());
    peer.send(initialize(capabilities));
    peer.send(request(2, "tools/call", call("test_elicitation_sep1034_defaults")));
    return peer;
  };

  it("sends a request of its own and goes on with the answer", async () => {
    const peer = open({ elicitation: {} });
    await peer.until(() => peer.output.lines.length === 2);
    const [, question] = linesOf(peer);
    expect(question).toMatchObject({ id: "sion-1", method: "elicitation/create" });
    const result = { action: "accept", content: { name: "Ada" } };
    peer.send({ jsonrpc: "2.0", id: "nobody", result });
    peer.send({ jsonrpc: "2.0", id: "sion-1", result });
    await peer.until(() => peer.output.lines.length === 3);
    expect(peer.output.lines[2]).toContain(
      'Elicitation completed: action=accept, content={\\"name\\":\\"Ada\\"}',
    );
    peer.end();
    await peer.done;
  });

  it.each([
    [{ error: { code: -1, message: "not now" } }, "the client refused to answer: not now"],
    [
      { result: { action: "maybe" } },
      "the client answered elicitation/create in no form that it has",
    ],
  ])("fails the call after the answer %o", async (answer, why) => {
    const peer = open({ elicitation: {} });
    await peer.until(() => peer.output.lines.length === 2);
    peer.send({ jsonrpc: "2.0", id: "sion-1", ...answer });
    await peer.until(() => peer.output.lines.length === 3);
    expect(linesOf(peer)[2]).toMatchObject({ id: 2, result: { isError: true } });
    expect(peer.output.lines[2]).toContain(why);
    peer.end();
    await peer.done;
  });

  it("takes the question back when the call is cancelled", async () => {
    const peer = open({ elicitation: {} });
    await peer.until(() => peer.output.lines.length === 2);
    peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    await peer.until(() => peer.output.lines.length === 3);
    expect(linesOf(peer)[2]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: "sion-1" },
    });
    peer.end();
    await peer.done;
    expect(peer.output.lines).toHaveLength(3);
  });

  it("fails the call of a client that is gone, and of one that answers no questions", async () => {
    const gone = open({ elicitation: {} });
    await gone.until(() => gone.output.lines.length === 2);
    gone.end();
    await gone.done;
    expect(gone.output.lines[2]).toContain("the client is gone");
    const mute = open({});
    await mute.until(() => mute.output.lines.length === 2);
    expect(mute.output.lines[1]).toContain("this needs a client that offers elicitation");
    mute.end();
    await mute.done;
  });
});

describe("Peer.ask() since 2026-07-28", () => {
  const ask = async (
    name: string,
    more: object = {},
    capabilities: object = { elicitation: {} },
  ) => {
    const params = { ...call(name), ...more, ...offering(capabilities) };
    return await only(request(1, "tools/call", params));
  };
  const accept = (content: object) => ({ action: "accept", content });

  it("asks round after round and forgets nothing that was answered", async () => {
    const server = conformanceServer();
    const name = "test_input_required_result_multi_round";
    const round = async (more: object) =>
      (await only(
        request(1, "tools/call", { ...call(name), ...more, ...offering({ elicitation: {} }) }),
        server,
      )).result;
    const first = await round({});
    expect(first).toMatchObject({ resultType: "input_required", inputRequests: { step1: {} } });
    const second = await round({
      requestState: first?.["requestState"],
      inputResponses: { step1: accept({ name: "Ada" }) },
    });
    expect(Object.keys(second?.["inputRequests"] as object)).toEqual(["step2"]);
    const third = await round({
      requestState: second?.["requestState"],
      inputResponses: { step2: accept({ color: "blue" }) },
    });
    expect(third?.["resultType"]).toBe("complete");
    expect(JSON.stringify(third)).toMatch(/Ada.*blue/);
  });

  it.each([
    ["not of the form that was asked for", { user_name: 12345 }],
    ["to what was not asked", { other: accept({}) }],
  ])("asks again after an answer %s", async (_what, inputResponses) => {
    const { result } = await ask("test_input_required_result_elicitation", { inputResponses });
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { user_name: {} },
    });
  });

  it.each([
    [{ inputResponses: null }, "invalid params: inputResponses must be an object"],
    [{ requestState: 5 }, "invalid params: requestState must be a string"],
    [{ requestState: "x.y" }, /^invalid params: requestState is not what this server gave/],
  ])("refuses %o", async (more, message) => {
    const { error } = await ask("test_input_required_result_elicitation", more);
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(message) as string,
    });
  });

  it("refuses to ask what the client does not answer, and says what it would have to offer", async () => {
    const { error } = await ask("test_input_required_result_multiple_inputs", {}, { roots: {} });
    expect(error).toEqual({
      code: -32021,
      message: "the client does not offer elicitation and sampling",
      data: { requiredCapabilities: { elicitation: {}, sampling: {} } },
    });
  });
});

describe("sealState() and openState()", () => {
  const answers = { a: { action: "decline" } };
  const of = { method: "tools/call", name: "pay", arguments: { to: "bob" } };

  it("open what was sealed for the same request, and nothing else", () => {
    const state = sealState(answers, of, 0);
    expect(openState(state, of, 1000)).toEqual(answers);
    const other = { ...of, arguments: { to: "mallory" } };
    expect(() => openState(state, other, 1000)).toThrow("is not what this server gave");
    expect(() => openState(state, of, 3_600_001)).toThrow("is too old: begin anew");
    const [body = "", seal = ""] = state.split(".");
    for (const bad of [`${body}.`, body, `${body}.${seal}x`, `${body}x.${seal}`, `${state}.`, ""]) {
      expect(() => openState(bad, of, 1000)).toThrow("is not what this server gave");
    }
  });
});

describe("Peer.log()", () => {
  it("is heard from the level on that the client set, before 2026-07-28", async () => {
    const heard = async (level?: string) => {
      const answers = await answersTo([
        initialize(),
        ...level === undefined ? [] : [request(2, "logging/setLevel", { level })],
        request(3, "tools/call", call("test_tool_with_logging")),
      ], conformanceServer());
      return answers.filter(({ method }) => method === "notifications/message").length;
    };
    expect([await heard(), await heard("info"), await heard("notice")]).toEqual([3, 3, 0]);
    const { error } = await only(request(1, "logging/setLevel", { level: "loud" }));
    expect(error?.["message"]).toMatch(/^invalid params: level must be one of debug, info/);
  });

  it("is heard where the request names a level, since 2026-07-28", async () => {
    const heard = async (level?: string) => {
      const params = call("test_logging_tool", {
        _meta: { ...MODERN, ...level ? { "io.modelcontextprotocol/logLevel": level } : {} },
      });
      return await answersTo([request(1, "tools/call", params)], conformanceServer());
    };
    expect(await heard()).toHaveLength(1);
    expect(await heard("error")).toHaveLength(1);
    expect((await heard("debug"))[0]).toMatchObject({
      method: "notifications/message",
      params: { level: "info", data: "Tool execution started" },
    });
  });
});

describe("changes", () => {
  const methodsOf = (answers: readonly Answer[]) =>
    answers.map(({ method }) => method).filter((method) => method !== undefined);

  it("are told to every client before 2026-07-28", async () => {
    const answers = await answersTo([
      initialize(),
      request(2, "tools/call", call("test_trigger_tool_change")),
      request(3, "tools/call", call("test_trigger_prompt_change")),
    ], conformanceServer());
    expect(methodsOf(answers)).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
    ]);
  });

  it("of one resource are told to who subscribed to it", async () => {
    let tell: (uri: string) => void = () => {};
    const server = {
      ...conformanceServer(),
      offers: {
        resources: () => Promise.resolve({ list: [], templates: [] }),
        watch(listener: (change: { what: "resource"; uri: string }) => void) {
          tell = (uri) => listener({ what: "resource", uri });
          return () => tell = () => {};
        },
      },
    };
    const peer = openPeer(server);
    peer.send(initialize());
    peer.send(request(2, "resources/subscribe", { uri: "test://a" }));
    await peer.until(() => peer.output.lines.length === 2);
    tell("test://b");
    tell("test://a");
    peer.send(request(3, "resources/unsubscribe", { uri: "test://a" }));
    await peer.until(() => peer.output.lines.length === 4);
    tell("test://a");
    peer.end();
    await peer.done;
    expect(linesOf(peer)[2]).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "test://a" },
    });
    expect(peer.output.lines).toHaveLength(4);
  });

  it("are told to who listens for them, tagged, until the client ends", async () => {
    const peer = openPeer(conformanceServer());
    peer.send(modernRequest("sub", "subscriptions/listen", {
      notifications: { promptsListChanged: true, resourceSubscriptions: ["test://a"], other: true },
    }));
    await peer.until(() => peer.output.lines.length === 1);
    const _meta = { "io.modelcontextprotocol/subscriptionId": "sub" };
    expect(linesOf(peer)[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta,
        notifications: { promptsListChanged: true, resourceSubscriptions: ["test://a"] },
      },
    });
    peer.send(modernRequest(2, "tools/call", call("test_trigger_tool_change")));
    peer.send(modernRequest(3, "tools/call", call("test_trigger_prompt_change")));
    await peer.until(() => peer.output.lines.length === 4);
    expect(methodsOf(linesOf(peer)).slice(1)).toEqual(["notifications/prompts/list_changed"]);
    peer.end();
    await peer.done;
    expect(linesOf(peer)[4]).toMatchObject({
      id: "sub",
      result: { _meta, resultType: "complete" },
    });
  });
});

describe("subscriptions/listen", () => {
  it.each([
    ["test://a", "resourceSubscriptions must be an array of strings"],
    [["test://a", 5], "resourceSubscriptions must be an array of strings"],
    [Array(1025).fill("test://a"), "at most 1024 resources can be subscribed to at once"],
  ])("refuses addresses of no use: %j", async (resourceSubscriptions, message) => {
    const peer = openPeer(conformanceServer());
    const notifications = { resourceSubscriptions };
    peer.send(modernRequest("sub", "subscriptions/listen", { notifications }));
    await peer.until(() => peer.output.lines.length === 1);
    peer.end();
    await peer.done;
    expect(linesOf(peer)).toEqual([
      { jsonrpc: "2.0", id: "sub", error: expect.objectContaining({ code: -32602 }) },
    ]);
    expect(peer.output.lines[0]).toContain(message);
  });
});

describe("prompts, resources and completion", () => {
  it.each([
    ["prompts/get", { name: "none" }, "invalid params: there is no prompt none"],
    ["prompts/get", {}, "invalid params: there is no prompt without a name"],
    [
      "prompts/get",
      { name: "test_prompt_with_arguments", arguments: { arg1: "a" } },
      "invalid params: it needs arg2",
    ],
    [
      "prompts/get",
      { name: "test_prompt_with_arguments", arguments: { arg1: "a", arg2: 5 } },
      "invalid params: arg2 must be a string",
    ],
    ["resources/read", {}, "invalid params: uri must be a string"],
    ["resources/list", { cursor: "x" }, "invalid params: unknown cursor"],
    ["completion/complete", {}, "invalid params: ref must name a prompt, or a template by its uri"],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a" } },
      "invalid params: argument must have a name and a value, both strings",
    ],
    ["subscriptions/listen", {}, "invalid params: notifications must be an object"],
  ])("%s with %o says: %s", async (method, params, message) => {
    const { error } = await only(modernRequest(1, method, params));
    expect(error).toMatchObject({ code: -32602, message });
  });

  it("resources/read of no resource has the code of its era, and names it", async () => {
    const params = { uri: "test://none" };
    const legacy = await only(request(1, "resources/read", params));
    const modern = await only(modernRequest(1, "resources/read", params));
    expect(legacy.error).toMatchObject({ code: -32002, data: params });
    expect(modern.error).toMatchObject({ code: -32602, data: params });
  });

  it("completion/complete shows at most a hundred values, and how many there are", async () => {
    const server = {
      ...conformanceServer(),
      offers: { complete: () => Promise.resolve(Array.from({ length: 101 }, (_, i) => `v${i}`)) },
    };
    const { result } = await only(
      modernRequest(1, "completion/complete", {
        ref: { type: "ref/resource", uri: "test://{id}" },
        argument: { name: "id", value: "" },
      }),
      server,
    );
    expect(result?.["completion"]).toMatchObject({ hasMore: true, total: 101 });
    expect(result).toHaveProperty("completion.values.length", 100);
  });
});
