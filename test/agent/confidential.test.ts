/** What changes once the model saw a file that the operator keeps confidential. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentTools, defineAgentTool, openSession, runAgent } from "#internal/agent/mod.ts";
import { outsideTools, PAGE, READ_PAGE } from "./_outside_tools.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";

type Calls = readonly { readonly tool: string; readonly input?: unknown }[];

/** A command that can read the workspace; `send` gives it the network. */
const command = defineAgentTool({
  name: "command",
  description: "Runs a command.",
  input: z.strictObject({ line: z.string(), send: z.boolean().exactOptional() }),
  highestEffect: "external",
  effect: ({ send }) => send === true ? "external" : "write",
  readsWorkspace: true,
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  run: () => Promise.resolve({ ok: true, text: "exit status 0" }),
});
/** A search whose results show files. */
const search = defineAgentTool({
  name: "search",
  description: "Searches files.",
  input: z.strictObject({ pattern: z.string() }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  run: (_context, { pattern }) =>
    Promise.resolve({ ok: true, text: `found ${pattern}`, shown: [`finance/${pattern}.csv`] }),
});
/** A search of the web, which tells its provider what is searched for. */
const ask = defineAgentTool({
  name: "ask_web",
  description: "Searches the web.",
  input: z.strictObject({ count: z.number(), query: z.string() }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: true,
  fromPrograms: true,
  run: () => Promise.resolve({ ok: true, text: "nothing" }),
});
/** A tool that tells what is for the person alone. */
const passport = defineAgentTool({
  name: "passport",
  description: "Tells the person's papers.",
  input: z.strictObject({}),
  highestEffect: "read",
  personal: true,
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  run: () => Promise.resolve({ ok: true, text: "X1234567" }),
});

/** Why the run waits, or `done`. */
async function outcome(
  turns: readonly Calls[],
  { task = "Go.", confidential = ["finance/**"] }: {
    readonly task?: string;
    readonly confidential?: readonly string[];
  } = {},
): Promise<string> {
  const pages = { [PAGE]: { text: "News." } };
  const tools = [...agentTools, ...outsideTools(pages), command, search, ask, passport];
  const machine = testMachine({ tools });
  const work = join(machine.folder, "work");
  mkdirSync(join(work, "finance"), { recursive: true });
  writeFileSync(join(work, "finance/q3.csv"), "profit,7\n");
  writeFileSync(join(work, "notes.txt"), "public\n");
  symlinkSync("finance/q3.csv", join(work, "link.csv"));
  const { listener, lines } = hearing();
  const script = [...turns.map((calls) => ({ calls })), { say: "Done." }];
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task,
    who: "cli:root",
    models: [scriptOf(machine, script)],
    autonomy: "L6",
    workspace: "work",
    given: confidential.length === 0 ? {} : { confidential },
  }, listener);
  if (end.how !== "waiting") return end.how;
  const last = lines.at(-1) ?? "";
  return last.slice(last.lastIndexOf("} (") + 3, last.indexOf("; request"));
}

const read = (path: string): Calls => [{ tool: "read_file", input: { path } }];
const MAIL: Calls = [{ tool: "mail", input: { text: "hi", to: ["dora@c.example"] } }];

describe("after reading a confidential file", () => {
  const because = "after reading finance/q3.csv, which is confidential";

  test("what reaches outside or spends asks, naming the file [A-062 A-064]", async () => {
    expect(await outcome([read("finance/q3.csv"), MAIL])).toBe(`reaching outside ${because}`);
    expect(await outcome([read("finance/q3.csv"), [PAY_BOB]])).toBe(`spending ${because}`);
    expect(await outcome([read("notes.txt"), MAIL])).toBe("done");
    expect(await outcome([read("finance/q3.csv"), MAIL], { confidential: [] })).toBe("done");
  });

  test("it names the last file and how many others there are, each once [A-064]", async () => {
    const twice = [read("finance/q3.csv"), read("finance/q3.csv")];
    expect(await outcome([...twice, MAIL])).toBe(`reaching outside ${because}`);
    const list = [{ tool: "command", input: { line: "ls" } }];
    expect(await outcome([...twice, list, MAIL])).toBe(
      "reaching outside after reading finance/q3.csv and 1 more, which are confidential",
    );
  });

  test("that holds for a target that the person named too [A-064]", async () => {
    expect(await outcome([read("finance/q3.csv"), MAIL], { task: "Mail dora@c.example." }))
      .toBe(`reaching outside ${because}`);
  });

  test("a write inside runs as before [A-064]", async () => {
    const write = [{ tool: "write_file", input: { content: "x", path: "out.txt" } }];
    expect(await outcome([read("finance/q3.csv"), write])).toBe("done");
  });

  test("other ways to its path count as well, a link to it and a read that failed [A-628]", async () => {
    for (const path of ["./notes/../finance/q3.csv", "link.csv", "finance/none.csv"]) {
      expect(await outcome([read(path), MAIL]), path).toMatch(
        /after reading finance\/.*confidential/,
      );
    }
    const miss = { new_string: "x", old_string: "loss", path: "finance/q3.csv" };
    expect(await outcome([[{ tool: "edit_file", input: miss }], MAIL])).toContain(because);
  });

  test("a search that shows it counts as reading it [A-063]", async () => {
    expect(await outcome([[{ tool: "search", input: { pattern: "q4" } }], MAIL])).toBe(
      "reaching outside after reading finance/q4.csv, which is confidential",
    );
  });

  test("a page or a search of the web asks unless the person wrote its words [A-064]", async () => {
    const query = (text: string): Calls => [{ tool: "ask_web", input: { count: 5, query: text } }];
    const seen = read("finance/q3.csv");
    expect(await outcome([seen, [READ_PAGE]])).toBe(`reading from outside ${because}`);
    expect(await outcome([seen, [READ_PAGE]], { task: `Read ${PAGE}` })).toBe("done");
    expect(await outcome([seen, query("profit,7")])).toBe(`reading from outside ${because}`);
    expect(await outcome([seen, query("prices")], { task: "Search for prices." })).toBe("done");
  });
});

describe("a command in a session with confidential files", () => {
  test("counts as having read them, whatever it printed [A-628]", async () => {
    expect(await outcome([[{ tool: "command", input: { line: "true" } }], MAIL])).toBe(
      "reaching outside after reading files that command could read, which is confidential",
    );
  });

  test("asks before it runs when it has the network [A-628]", async () => {
    const send = [{ tool: "command", input: { line: "curl a.example", send: true } }];
    expect(await outcome([send])).toBe("reaching outside while it could read finance/**");
    expect(await outcome([send], { confidential: [] })).toBe("done");
  });
});

test("what a tool tells for the person alone is confidential without any glob [A-064]", async () => {
  const told = [{ tool: "passport", input: {} }];
  expect(await outcome([told, MAIL], { confidential: [] })).toBe(
    "reaching outside after reading what passport tells, which is confidential",
  );
});

describe("--confidential", () => {
  test.each([
    [["/etc/**"], "/etc/** names no files (it begins with /): give a glob like finance/**"],
    [["x".repeat(501)], "names no files (it is too long)"],
    [Array.from({ length: 101 }, () => "a"), "101 confidential globs: at most 100"],
  ])(
    "refuses what names no files before there is a session [A-062]",
    async (confidential, message) => {
      await expect(outcome([], { confidential })).rejects.toThrow(message);
    },
  );

  test("needs a workspace [A-062]", async () => {
    const machine = testMachine();
    const opened = openSession(machine, {
      wallet: "coder",
      agent: AGENT,
      models: [scriptOf(machine, [])],
      given: { confidential: ["a"] },
    }, () => {});
    await expect(opened).rejects.toThrow("there is none: add --workspace <folder>");
  });
});
