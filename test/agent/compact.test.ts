import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  agentTools,
  defineAgentTool,
  ModelError,
  traceLines,
  traceSession,
} from "#internal/agent/mod.ts";
import type { Model, ModelMessage, ModelPart, ModelRequest } from "#internal/agent/mod.ts";
import { chatOn } from "./_chat.ts";
import { scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

/** About so many tokens. */
const words = (tokens: number) => "word ".repeat(Math.round(tokens * 0.7));

/** Whether a request is for a summary. */
const forSummary = ({ instructions }: ModelRequest) => instructions.startsWith("You shorten");

type Answer = string | ModelError | readonly ModelPart[];

/** A machine with models of a window that answer what the test says, and what they were asked. */
function machineWith(
  answer: (request: ModelRequest, model: string) => Answer,
  contextTokens = 4_000,
  waits: number[] = [],
): { readonly machine: TestMachine; readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const page = defineAgentTool({
    name: "page",
    description: "A page of words.",
    input: z.strictObject({ n: z.number() }),
    highestEffect: "read",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: false,
    outputLimitBytes: 100_000,
    run: (_context, { n }) => Promise.resolve({ ok: true, text: `page ${n} ${words(600)}` }),
  });
  const open = (rest: string): Promise<Model> =>
    Promise.resolve({
      name: `m:${rest}`,
      contextTokens,
      async *respond(request) {
        asked.push(request);
        await Promise.resolve();
        const said = answer(request, rest);
        if (said instanceof ModelError) throw said;
        if (typeof said === "string") {
          yield { type: "text", text: said };
          yield { type: "usage", input: 7, output: 3, estimated: true };
        } else yield* said;
        yield { type: "end", stop: "end" };
      },
    });
  const provider = { scheme: "m", usage: "<name>", open };
  const pause = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const tools = [...agentTools, page];
  return { asked, machine: testMachine({ providers: [provider], tools, pause }) };
}

/** What the last request for an answer showed, in short. */
function shownIn(asked: readonly ModelRequest[]): string[] {
  const messages = asked.findLast((request) => !forSummary(request))?.messages ?? [];
  return messages.map((message: ModelMessage) =>
    message.role === "results"
      ? `results ${message.results.map(({ call }) => call).join()}`
      : `${message.role} ${message.text.slice(0, 12).trim()}`
  );
}

/** A chat in which enough was said to shorten it. */
async function spoken(machine: TestMachine, models: readonly string[]) {
  const chat = chatOn(machine, models);
  const { session } = await chat.say(words(300));
  await chat.say("more");
  return { ...chat, session: session ?? "" };
}

describe("/compact", () => {
  test("keeps the start as a summary and the last message whole [C-027]", async () => {
    const { machine, asked } = machineWith((request) =>
      forSummary(request) ? "They spoke of words." : `answer ${asked.length}`
    );
    const { say, lines } = chatOn(machine, ["m:a"]);
    expect((await say("/compact")).said).toMatch(/^there is no session yet/);
    await say(`first ${words(300)}`);
    expect((await say("/compact")).said).toBe("There is nothing to shorten yet.");
    const { session } = await say("second");
    expect((await say("/compact")).said).toMatch(
      /^Shortened: about [\d,]+ tokens became [\d,]+\.$/,
    );
    const question = asked.at(-1);
    expect(question?.tools).toEqual([]);
    expect(JSON.stringify(question?.messages)).toContain("Person: first word");
    expect(JSON.stringify(question?.messages)).not.toContain("second");
    // Whoever asked is answered, and told once.
    expect(lines.join("\n")).not.toContain("was shortened");
    await say("third");
    expect(shownIn(asked)).toEqual([
      "person (The convers",
      "person second",
      "model answer 2",
      "person third",
    ]);
    expect(JSON.stringify(asked.at(-1)?.messages[0])).toContain("They spoke of words.");
    // The log keeps what was said, and the summary with who wrote it.
    const trace = traceLines(traceSession(machine, session ?? "")).join("\n");
    expect(trace).toMatch(/said: first word/);
    expect(trace).toMatch(/shortened \(asked\) by m:a, .*the summary: They spoke of words\./);
    // What it took counts: three answers and a summary.
    expect((await say("/usage")).said).toMatch(
      /^3 messages, 3 turns, 40 tokens \(28 in, 12 out\), 40 of them estimated/,
    );
  });

  test("what is in the summary cannot be taken back, what is behind it can [C-026 C-027]", async () => {
    const { machine, asked } = machineWith((request) => forSummary(request) ? "S." : "A.");
    const { say } = chatOn(machine, ["m:a"]);
    for (const text of [words(300), "two", "three"]) await say(text);
    await say("/compact");
    await say("/undo");
    expect(await say("/undo")).toMatchObject({ refused: "nothing-said" });
    await say("four");
    expect(shownIn(asked)).toEqual(["person (The convers", "person four"]);
  });

  test("of a script, and of models that fail, the start is kept as a list [C-027]", async () => {
    const machine = testMachine();
    const balance = { tool: "ledger_balance" };
    const turns = [{ calls: [balance] }, { say: `Here ${words(900)}` }, { say: "Bye." }];
    const { say, chat } = chatOn(machine, [scriptOf(machine, turns)]);
    await say("How much is left?");
    await say("Goodbye.");
    expect((await say("/compact")).said).toMatch(/^Shortened/);
    const [summary = ""] = chat.state()?.summaries ?? [];
    expect(summary).toMatch(/^The person said: How much is left\?\nledger_balance gave: \{"budget/);
    expect(summary).toMatch(/\nThe agent said: Here word .*left out/);

    const broken = machineWith((request, model) =>
      !forSummary(request) ? "A." : model === "b" ? "By b." : new ModelError("overloaded", "busy")
    );
    const two = chatOn(broken.machine, ["m:a", "m:b"]);
    await two.say(words(300));
    await two.say("more");
    await two.say("/compact");
    expect(two.chat.state()?.summaries).toEqual(["By b."]);
  });

  test("is asked for again of a model that is busy, when it says, and then of the next [C-027]", async () => {
    const waits: number[] = [];
    let tries = 0;
    const { machine } = machineWith(
      (request, model) => {
        if (!forSummary(request)) return "A.";
        tries++;
        return model === "b" && tries > 3
          ? "By b, at last."
          : new ModelError("overloaded", `${model} is busy`, { again: { afterMs: 9_000 } });
      },
      4_000,
      waits,
    );
    const { say, lines, chat, session } = await spoken(machine, ["m:a", "m:b"]);
    await say("/compact");
    expect(chat.state()?.summaries).toEqual(["By b, at last."]);
    // Twice the first, which is not the last; then the other, until it answers.
    expect(waits).toEqual([9_000, 9_000]);
    expect(lines.join("\n")).toContain("a is busy; asking it again in 9 s");
    const trace = traceLines(traceSession(machine, session)).join("\n");
    expect(trace).toContain("model m:a failed: a is busy; asked again");
    expect(trace).toContain("model m:b failed: b is busy; asked again");
  });
});

describe("a conversation that fills its model's window", () => {
  test("is shortened at four fifths of it, recent messages whole [C-027]", async () => {
    const { machine, asked } = machineWith((request) =>
      forSummary(request) ? "S." : `answer ${words(200)}`
    );
    const { say, lines: told } = chatOn(machine, ["m:a"]);
    for (let n = 1; n <= 8; n++) expect((await say(`m${n} ${words(400)}`)).end?.how).toBe("done");
    const summaries = asked.filter(forSummary);
    expect(summaries.length).toBeGreaterThanOrEqual(1);
    expect(told.join("\n")).toMatch(/the conversation was shortened: about [\d,]+ tokens became/);
    expect(summaries.length).toBeLessThanOrEqual(3);
    const shown = shownIn(asked);
    expect(shown[0]).toBe("person (The convers");
    expect(shown.at(-1)).toMatch(/^person m8/);
    expect(shown.at(-3)).toMatch(/^person m7/);
  });

  test("is shortened within an answer, no call cut from its result [C-027]", async () => {
    let n = 0;
    const { machine, asked } = machineWith((request) => {
      if (forSummary(request)) return "S.";
      if (++n > 12) return "Read.";
      return [
        { type: "call", tool: "page", input: `{"n":${n}}` },
        { type: "usage", input: 0, output: 0 },
      ];
    });
    const { say } = chatOn(machine, ["m:a"]);
    expect(await say("Read it all.")).toMatchObject({ said: "Read.", end: { how: "done" } });
    for (const request of asked.filter((one) => !forSummary(one))) {
      const calls = request.messages.flatMap((one) => one.role === "model" ? one.calls : []);
      const results = request.messages.flatMap((one) => one.role === "results" ? one.results : []);
      expect(results.map(({ call }) => call)).toEqual(calls.map(({ id }) => id));
    }
    // The message that is being answered stands whole, behind the summary.
    const shown = shownIn(asked);
    expect(shown.slice(0, 2)).toEqual(["person (The convers", "person Read it all."]);
    expect(shown.at(-1)).toBe("results 12.1");
    expect(await say("/undo")).toMatchObject({
      refused: "nothing-said",
      said: "the start of the last answer stands in a summary, which cannot be taken back",
    });
    expect((await say("Again?")).end?.how).toBe("done");
    expect((await say("/undo")).said).toBe("Forgot the last message and its answer.");
  });

  test("is shortened when the model says that it is too long, and asked once more", async () => {
    let refusals = 1;
    const { machine, asked } = machineWith((request) => {
      if (forSummary(request)) return "S.";
      if (JSON.stringify(request.messages).includes("second") && refusals-- > 0) {
        return new ModelError("context", "prompt is too long");
      }
      return "A.";
    }, 1_000_000);
    const { say } = chatOn(machine, ["m:a"]);
    await say("first");
    expect((await say("second")).said).toBe("A.");
    expect(shownIn(asked)).toEqual(["person (The convers", "person second"]);
  });

  test("stops with a reason when nothing helps, asks no more than twice, and can start over", async () => {
    const { machine, asked } = machineWith((request) => {
      if (forSummary(request)) return "S.";
      const isLong = JSON.stringify(request.messages).includes("second");
      return isLong ? new ModelError("context", "prompt is too long") : "A.";
    }, 1_000_000);
    const { say } = chatOn(machine, ["m:a"]);
    await say("first");
    const { said, end } = await say("second");
    expect(end).toMatchObject({ how: "stopped", code: "model-context" });
    expect(said).toMatch(/is too long for m:a however it is shortened: start a new session/);
    expect(asked.filter((request) => !forSummary(request))).toHaveLength(3);
    await say("/new");
    expect((await say("third")).said).toBe("A.");
  });

  test("is not asked about at all when one message is more than the window", async () => {
    const { machine, asked } = machineWith(() => "A.");
    const { say } = chatOn(machine, ["m:a"]);
    expect((await say(words(6_000))).end).toMatchObject({ code: "model-context" });
    expect(asked).toEqual([]);
    await say("/undo");
    expect((await say("Short.")).said).toBe("A.");
  });

  test("whose summary is stopped is as it was", async () => {
    const asking = Promise.withResolvers<void>();
    const machine = testMachine({
      providers: [{
        scheme: "m",
        usage: "<name>",
        open: () =>
          Promise.resolve({
            name: "m:a",
            async *respond(request) {
              if (!forSummary(request)) {
                yield { type: "text" as const, text: "A." };
                yield { type: "end" as const, stop: "end" as const };
                return;
              }
              asking.resolve();
              await new Promise((_, reject) => {
                request.signal.addEventListener(
                  "abort",
                  () => reject(request.signal.reason as Error),
                );
              });
            },
          }),
      }],
    });
    const { say, chat } = chatOn(machine, ["m:a"]);
    await say(words(300));
    await say("two");
    const shortening = say("/compact");
    await asking.promise;
    chat.stop();
    expect(await shortening).toMatchObject({ refused: "cancelled" });
    expect(chat.state()?.summaries).toEqual([]);
    expect((await say("three")).said).toBe("A.");
  });
});
