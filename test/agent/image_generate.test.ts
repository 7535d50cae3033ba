/** Pictures that an agent makes, by the vendor's own client against a stand-in of its Images API. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentTools, runAgent } from "#internal/agent/mod.ts";
import type { RunEnd } from "#internal/agent/mod.ts";
import { eventKinds } from "../../internal/agent/events/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { viewOf } from "../../internal/agent/model_view.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";
import type { Budgets } from "#internal/store/mod.ts";
import { openBudgets } from "#internal/store/mod.ts";

const KEY = "sk-test-0123456789abcdef";
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 5);
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 7);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** What the API answers: a picture, or a status with a body. */
type Answer = Uint8Array | { readonly status: number; readonly body: unknown };

interface Images {
  readonly url: string;
  readonly taken: { readonly path: string; readonly key: string; readonly body: object }[];
}

/** A stand-in of the Images API that refuses what the real one does. */
async function imagesApi(answers: readonly Answer[]): Promise<Images> {
  const taken: Images["taken"] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const answer = answers[Math.min(taken.length, answers.length - 1)] ?? PNG;
      const { authorization = "" } = request.headers;
      taken.push({ path: request.url ?? "", key: authorization, body });
      const fault = faultOf(body);
      const [status, value] = fault !== undefined
        ? [400, { error: { type: "invalid_request_error", message: fault } }]
        : answer instanceof Uint8Array
        ? [200, { created: 1, data: [{ b64_json: base64(answer) }] }]
        : [answer.status, answer.body];
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, taken };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Uint8Array[] = [];
  for await (const part of request as AsyncIterable<Uint8Array>) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
}

function faultOf(body: Record<string, unknown>): string | undefined {
  const known = ["model", "n", "prompt", "response_format", "size"];
  const odd = Object.keys(body).find((key) => !known.includes(key));
  if (odd !== undefined) return `Unknown parameter: '${odd}'.`;
  if (typeof body["prompt"] !== "string" || body["prompt"].length > 32_000) return "bad prompt";
  return body["n"] === 1 && typeof body["model"] === "string" ? undefined : "bad n or model";
}

async function run(
  api: Images,
  turns: readonly Turn[],
  options: {
    readonly autonomy?: string;
    readonly workspace?: boolean;
    readonly imageModel?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** What pictures may cost together, micro-USD. */
    readonly budget?: bigint;
  } = {},
): Promise<
  {
    end: RunEnd;
    machine: TestMachine & { budgets: Budgets };
    lines: readonly string[];
    work: string;
  }
> {
  const plain = testMachine({
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: api.url, ...options.env },
  });
  const budgets = openBudgets(plain.home, { ...plain });
  onTestFinished(() => budgets.close());
  if (options.budget !== undefined) {
    budgets.set({ name: "all", limitMicro: options.budget, per: "total", zone: "UTC" });
  }
  const machine = { ...plain, budgets };
  const work = join(machine.folder, "work");
  mkdirSync(work);
  const { listener, lines } = hearing();
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "Draw a boat.",
    who: "cli:test",
    models: [scriptOf(machine, turns)],
    autonomy: options.autonomy ?? "L3",
    ...(options.workspace === false ? {} : { workspace: "work" }),
    given: { imageModel: options.imageModel ?? "openai:gpt-image-2" },
  }, listener);
  return { end, machine, lines, work };
}

const draw = (name: string, more: object = {}): Turn => ({
  calls: [{ tool: "image_generate", input: { name, prompt: "A boat.", ...more } }],
});
const failures = (lines: readonly string[]) => lines.filter((line) => line.startsWith(" ✗"));

describe("image_generate", () => {
  test("makes a picture, puts it into images/ under its name and shows it to the model [C-224..C-228 A-593]", async () => {
    const api = await imagesApi([PNG, JPEG]);
    const { end, machine, lines, work } = await run(api, [
      draw("boat"),
      draw("boat.png", { size: "1024x1536" }),
      draw("boat.jpg"),
      { say: "Drawn." },
    ]);
    expect(end.how).toBe("done");
    expect(lines.filter((line) => line.startsWith(" ←"))).toEqual([
      " ← images/boat.png (image/png, 9 bytes)",
      " ← images/boat.jpg (image/jpeg, 4 bytes)",
      " ← images/boat-2.jpg (image/jpeg, 4 bytes)",
    ]);
    expect(readFileSync(join(work, "images/boat.png"))).toEqual(Buffer.from(PNG));
    expect(api.taken[0]).toEqual({
      path: "/v1/images/generations",
      key: `Bearer ${KEY}`,
      body: { model: "gpt-image-2", n: 1, prompt: "A boat.", response_format: "b64_json" },
    });
    expect(api.taken[1]?.body).toMatchObject({ size: "1024x1536" });
    const { session } = end;
    const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
    const results = viewOf(state, state.entries).flatMap((one) =>
      one.role === "results" ? one.results : []
    );
    expect(results[0]?.pictures).toMatchObject([{ mediaType: "image/png", size: 9 }]);
  });

  test("is a write: it asks at L2 with what it will do, and is refused at L1 [C-229]", async () => {
    const api = await imagesApi([PNG]);
    const { end, lines } = await run(api, [draw("boat")], { autonomy: "L2" });
    expect(end.how).toBe("waiting");
    expect(lines.join("\n")).toContain("writing at autonomy L2");
    const refused = await run(api, [draw("boat"), { say: "No." }], { autonomy: "L1" });
    expect(failures(refused.lines)).toHaveLength(1);
    expect(api.taken).toEqual([]);
    const tool = agentTools.find(({ name }) => name === "image_generate");
    expect(tool?.says?.({ name: "boat", prompt: "A boat." })).toBe(
      "Make a picture and put it into images/ as boat: A boat.",
    );
    expect(tool?.needs).toEqual(["workspace", "image-model"]);
  });

  test("says what went wrong in one line, without the key, and writes nothing", async () => {
    const answers: readonly (readonly [answer: Answer, said: RegExp])[] = [
      [
        { status: 400, body: { error: { message: `Your key ${KEY} was rejected by safety.` } } },
        /does not take the request \(400\): .*rejected by safety/,
      ],
      [{ status: 401, body: {} }, /does not take the key \(401\)/],
      [{ status: 200, body: { data: [{ url: "http://127.0.0.1:9/a.png" }] } }, /gave no picture/],
      [{ status: 200, body: { data: [] } }, /gave no picture/],
      [
        { status: 200, body: { data: [{ b64_json: base64(new Uint8Array(9)) }] } },
        /gave no picture/,
      ],
      [{ status: 200, body: [] }, /gave no picture/],
      [{ status: 500, body: "oops" }, /failed \(500\)/],
    ];
    for (const [answer, said] of answers) {
      const api = await imagesApi([answer]);
      const { lines, work } = await run(api, [draw("boat"), { say: "No." }]);
      expect(failures(lines)).toEqual([expect.stringMatching(said)]);
      expect(lines.join("\n")).not.toContain(KEY);
      expect(readdirSync(work)).toEqual([]);
    }
  });

  test("counts what a picture costs in the session's budgets, and makes none past them or of unknown price", async () => {
    const refusal = { status: 401, body: { error: { message: "no" } } };
    const api = await imagesApi([PNG, refusal, PNG]);
    const imageModel = "openai:gpt-image-2?price=0.04";
    const turns = [draw("a"), draw("b"), draw("c"), draw("d"), { say: "Done." }];
    const { machine, lines } = await run(api, turns, { imageModel, budget: 90_000n });
    expect(api.taken).toHaveLength(3);
    expect(api.taken[0]?.body).toMatchObject({ model: "gpt-image-2" });
    expect(failures(lines).at(-1)).toBe(
      " ✗ budget all has 0.01 of 0.09 USD left, and a request to openai:gpt-image-2?price=0.04 " +
        "can cost 0.04 USD: raise it with `sion agent budget set all <usd>`",
    );
    // What the provider refused cost nothing.
    expect(machine.budgets.list()[0]?.spentMicro).toBe(80_000n);
    const unpriced = await run(api, [draw("a"), { say: "Done." }], { budget: 90_000n });
    expect(failures(unpriced.lines)[0]).toContain("the price of openai:gpt-image-2 is not known");
    expect(api.taken).toHaveLength(3);
  });

  test("puts a picture nowhere else, and takes no name of a folder [C-228]", async () => {
    const api = await imagesApi([PNG]);
    const { lines } = await run(api, [draw("../boat"), draw("a/b"), draw(".."), { say: "No." }]);
    expect(failures(lines)).toEqual([
      " ✗ ../boat names a folder: give a name alone, it is put into images/",
      " ✗ a/b names a folder: give a name alone, it is put into images/",
    ]);
    expect(lines).toContain(" ← images/file.png (image/png, 9 bytes)");
  });

  test("is there with --image-model and a workspace only, and the option is checked first [C-224]", async () => {
    const api = await imagesApi([PNG]);
    await expect(run(api, [], { workspace: false })).rejects.toThrow(
      "--image-model puts pictures into a workspace: give --workspace <folder> too",
    );
    for (const imageModel of ["gpt-image-2", "anthropic:x", "openai:", "openai:a b"]) {
      await expect(run(api, [], { imageModel })).rejects.toThrow(
        `${imageModel} names no model of pictures: give openai:<model>`,
      );
    }
    const own = { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" };
    await expect(run(api, [], { env: own })).rejects.toThrow("needs OPENAI_API_KEY");
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    writeFileSync(join(machine.folder, "a"), "");
    const { listener, lines } = hearing();
    await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Draw.",
      who: "cli:test",
      models: [scriptOf(machine, [draw("boat"), { say: "No." }])],
      workspace: "work",
    }, listener);
    expect(failures(lines)).toEqual([
      expect.stringMatching(/there is no tool named image_generate without image-model/),
    ]);
  });
});
