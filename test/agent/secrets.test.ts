import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { stringifyJson } from "#internal/core/mod.ts";
import type { Credential } from "#internal/store/mod.ts";
import {
  agentTools,
  createSecrets,
  defineAgentTool,
  ModelError,
  runAgent,
  traceLines,
  traceSession,
} from "#internal/agent/mod.ts";
import type { AgentMachine, Model, ModelRequest } from "#internal/agent/mod.ts";
import { chatOn } from "./_chat.ts";
import { hearing, scriptOf, testMachine } from "./_machine.ts";

const SECRET = 'sk-live/0123 "quoted" ö';
const KEY: Credential = { name: "API_KEY", value: SECRET, secret: true };
const HOST: Credential = { name: "MAIL_HOST", value: "imap.example.com", secret: false };

const kept = (...credentials: Credential[]) => () => Promise.resolve(credentials);

/** What no part of a session may hold. */
const FORMS = [
  SECRET,
  Buffer.from(SECRET).toString("base64"),
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
];

/** A tool that gives, or throws, what the test says. */
const leak = (give: () => string) =>
  defineAgentTool({
    name: "leak",
    description: "Gives what a test says.",
    input: z.strictObject({}),
    highestEffect: "read",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: false,
    outputLimitBytes: 100,
    run: () => Promise.resolve({ ok: true, text: give() }),
  });

async function run(replace: Partial<AgentMachine>, task = "Work.") {
  const machine = testMachine({ secrets: createSecrets({}, kept(KEY, HOST)), ...replace });
  const heard = hearing();
  const models = [scriptOf(machine, [{ calls: [{ tool: "leak" }] }, { say: "Done." }])];
  const options = { wallet: "coder", agent: "d8", task, models, who: "cli:root" };
  const end = await runAgent(machine, options, heard.listener);
  const log = stringifyJson(machine.sessions.read(end.session));
  const trace = traceLines(traceSession(machine, end.session)).join("\n");
  const all = [log, trace, heard.lines.join("\n"), heard.json.join("\n")].join("\n");
  return { ...heard, end, log, trace, all, machine };
}

describe("createSecrets()", () => {
  test("finds the environment's value first, then what is kept [A-588]", async () => {
    const secrets = createSecrets({ API_KEY: "from here", EMPTY: "" }, kept(KEY, HOST));
    expect(await secrets.find("API_KEY")).toBe("from here");
    expect(await secrets.find("MAIL_HOST")).toBe("imap.example.com");
    expect(await secrets.find("EMPTY")).toBe(undefined);
    const other = createSecrets({ API_KEY: "" }, kept(KEY));
    expect(await other.find("API_KEY")).toBe(SECRET);
  });

  test("cuts out what is kept, and of the environment what was asked for; no settings", async () => {
    const env = { API_KEY: "another one", TOKEN: "a token", OTHER: "not asked for" };
    const secrets = createSecrets(env, kept(KEY, HOST));
    const text = `${SECRET}, another one, a token, not asked for, imap.example.com`;
    expect((await secrets.redactor()).text(text))
      .toBe("[secret API_KEY], [secret API_KEY], a token, not asked for, imap.example.com");
    await secrets.find("TOKEN");
    await secrets.find("MAIL_HOST");
    expect((await secrets.redactor()).text(text)).toBe(
      "[secret API_KEY], [secret API_KEY], [secret TOKEN], not asked for, imap.example.com",
    );
  });

  test("cuts out the keys of models that no model asked for [A-587]", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-ant-0123456789", OPENAI_API_KEY: "sk-0123456789" };
    const { all } = await run({
      secrets: createSecrets(env, kept()),
      tools: [leak(() => Object.values(env).join(" "))],
    });
    expect(all).toContain("[secret ANTHROPIC_API_KEY] [secret OPENAI_API_KEY]");
    for (const value of Object.values(env)) expect(all).not.toContain(value);
  });
});

describe("a session of a machine that keeps secrets", () => {
  test("has none in its log, transcript and trace that a tool printed, in any encoding [A-587]", async () => {
    for (const form of FORMS) {
      const { all, lines } = await run({ tools: [leak(() => `key=${form};`)] });
      expect(lines[2]).toBe(" ← key=[secret API_KEY];");
      for (const other of FORMS) expect(all).not.toContain(other);
    }
  });

  test("has no part of one at the place where a long result is shortened", async () => {
    const { all } = await run({
      tools: [leak(() => `${"x".repeat(40)}${SECRET}${"y".repeat(300)}`)],
    });
    expect(all).toContain("characters left out");
    expect(all).not.toContain("sk-live");
  });

  test("has none of what a tool, a model or a person says", async () => {
    const failing = leak(() => {
      throw new Error(`cannot log in with ${SECRET}`);
    });
    const asked: ModelRequest[] = [];
    let turn = 0;
    const model: Model = {
      name: "test:m",
      async *respond(request) {
        await Promise.resolve();
        asked.push(request);
        if (turn++ === 0) {
          yield { type: "call", tool: "leak", input: "{}" };
          yield { type: "end", stop: "end" };
          return;
        }
        throw new ModelError("refused", `no such key ${SECRET}`);
      },
    };
    const machine = testMachine({
      secrets: createSecrets({}, kept(KEY)),
      tools: [failing],
      providers: [{ scheme: "test", usage: "<m>", open: () => Promise.resolve(model) }],
    });
    const heard = hearing();
    const task = `Log in with ${SECRET}.`;
    const options = { wallet: "coder", agent: "d8", task, models: ["test:m"], who: "cli:root" };
    const end = await runAgent(machine, options, heard.listener);
    expect(end.how).toBe("stopped");
    expect(heard.lines.join("\n")).toContain("no such key [secret API_KEY]");
    expect(heard.lines.join("\n")).toContain("cannot log in with [secret API_KEY]");
    expect(asked[0]?.messages[0]).toMatchObject({ text: "Log in with [secret API_KEY]." });
    const log = stringifyJson(machine.sessions.read(end.session));
    expect(log).toContain("Log in with [secret API_KEY].");
    for (const text of [log, stringifyJson(asked.map(({ messages }) => messages as never))]) {
      expect(text).not.toContain("sk-live");
    }
  });

  test("has none in what lists, searches and a chat's choices know", async () => {
    const machine = testMachine({ secrets: createSecrets({}, kept(KEY)) });
    const { say } = chatOn(machine, [{ say: "Yes." }, { say: "Yes." }]);
    await say(`/system Use ${SECRET}.`);
    // At the place where a list's text is cut.
    await say(`${"x".repeat(195)} ${SECRET}`);
    await say(`/title ${SECRET}`);
    await say(`/system Always use ${SECRET}.`);
    expect((await say("/system")).said).toBe("Always use [secret API_KEY].");
    const folder = join(machine.home, "agents");
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expect(bytes.join("")).toContain("Always use [secret API_KEY].");
    expect(bytes.join("")).not.toContain("sk-l");
  });

  test("does not begin when what is kept cannot be read: nothing could be cut out", async () => {
    const locked = new Error("locked");
    const secrets = createSecrets({}, () => Promise.reject(locked));
    await expect(run({ secrets, tools: agentTools })).rejects.toBe(locked);
  });
});
