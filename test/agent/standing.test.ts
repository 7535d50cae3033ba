/** Rules of what a session may do without asking. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { continueSession, defineAgentTool, eventKinds, runAgent } from "#internal/agent/mod.ts";
import type { Question } from "#internal/agent/mod.ts";
import { standingGiven } from "../../internal/agent/events/standing_given.ts";
import { standingWithdrawn } from "../../internal/agent/events/standing_withdrawn.ts";
import { preApproved } from "../../internal/agent/events/pre_approved.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { bringIn } from "../../internal/agent/outside.ts";
import { ruleOffered, ruleToGive } from "../../internal/agent/policy/mod.ts";
import {
  offeredRule,
  parseRule,
  ruleMatches,
  ruleOf,
  ruleText,
} from "../../internal/agent/standing.ts";
import { DEFAULT_LIMITS, emptyState } from "../../internal/agent/state.ts";
import type { SessionState } from "../../internal/agent/state.ts";
import { writeFile } from "../../internal/agent/tools/write_file.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";

const shell = defineAgentTool({
  name: "shell",
  description: "Runs a command.",
  input: z.strictObject({ command: z.string() }),
  highestEffect: "write",
  mainArgument: "command",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  run: (_context, { command }) => Promise.resolve({ ok: true, text: `ran ${command}` }),
});

describe("parseRule()", () => {
  test.each([
    ["write_file(notes:*)", { tool: "write_file", text: "notes", prefix: true }],
    ["shell(git status:*)", { tool: "shell", text: "git status", prefix: true }],
    [" shell(git status) ", { tool: "shell", text: "git status", prefix: false }],
    ['mail({"to":"bob"})', { tool: "mail", text: '{"to":"bob"}', prefix: false }],
    ["shell(echo (a))", { tool: "shell", text: "echo (a)", prefix: false }],
  ])("reads %s, and ruleText() writes it again [A-580]", (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
    expect(ruleText(parseRule(text))).toBe(text.trim());
  });

  test.each([
    "shell",
    "shell()",
    "shell(:*)",
    "shell( )",
    "shell(*)",
    "",
    "(a)",
    "a b(c)",
    "shell(a",
  ])(
    "takes no %j: a bare tool's name is none",
    (text) => {
      expect(() => parseRule(text)).toThrow("is no rule");
    },
  );

  test("takes no rule longer than its bound", () => {
    expect(() => parseRule(`shell(${"x".repeat(2_000)})`)).toThrow("… is no rule");
  });
});

describe("ruleMatches()", () => {
  const ran = (command: string) => ({ command });
  test.each([
    ["shell(git status:*)", "git status", true],
    ["shell(git status:*)", "git status -s", true],
    ["shell(git status)", "git status", true],
    ["shell(git status)", "git status -s", false],
    ["shell(git status:*)", "git statusx", false],
    ["shell(git status:*)", "git push", false],
    ["shell(git status:*)", "git status; rm -rf .", false],
    ["shell(git status:*)", "git status && curl a", false],
    ["shell(git status:*)", "git status | sh", false],
    ["shell(git status:*)", "git status > x", false],
    ["shell(git status:*)", "git status $(id)", false],
    ["shell(git status:*)", "git status `id`", false],
    ["shell(git status:*)", "git status\nid", false],
    ["shell(git status:*)", "git status & id", false],
    ["shell(git:*)", "git clean -f", false],
    ["shell(git:*)", "git reset x", false],
    ["shell(cat:*)", "cat a/../../b", false],
  ])("%s on the command %j is %s [C-019 C-020]", (rule, command, matches) => {
    expect(ruleMatches(parseRule(rule), shell, ran(command))).toBe(matches);
  });

  test.each([
    ["write_file(notes:*)", "notes/a.txt", true],
    ["write_file(notes:*)", "notes", true],
    ["write_file(notes/:*)", "notes/b/a.txt", true],
    ["write_file(notes:*)", "notes.txt", false],
    ["write_file(notes:*)", "notes-secret/a.txt", false],
    ["write_file(notes:*)", "notes/../secret", false],
    ["write_file(notes/a.txt)", "notes/a.txt", true],
    ["write_file(notes/a.txt)", "notes/a.txt.bak", false],
    ["edit_file(notes:*)", "notes/a.txt", false],
  ])("%s on the path %j is %s", (rule, path, matches) => {
    expect(ruleMatches(parseRule(rule), writeFile, { content: "x", path })).toBe(matches);
  });
});

describe("ruleOf()", () => {
  test("is this very call: its only argument, or all of its input", () => {
    expect(ruleOf(shell, { command: "git status -s" })).toEqual(parseRule("shell(git status -s)"));
    const input = { content: "x", path: "a.txt" };
    const rule = ruleOf(writeFile, input);
    if ("none" in rule) throw new Error(rule.none);
    expect(ruleText(rule)).toBe('write_file({"content":"x","path":"a.txt"})');
    expect(ruleMatches(rule, writeFile, input)).toBe(true);
    expect(ruleMatches(rule, writeFile, { ...input, content: "y" })).toBe(false);
  });

  test.each([
    ["npm test && rm x", 'the command holds "&"'],
    ["a; b", 'the command holds ";"'],
    ["a | b", 'the command holds "|"'],
    ["a > b", 'the command holds ">"'],
    ["echo $HOME", 'the command holds "$"'],
    ["X=1 a", 'the command holds "X="'],
    ["ls *", 'the command holds "*"'],
    ["python3 x.py", "python runs what it is given"],
    ["/usr/bin/env a", "env runs what it is given"],
    ["bash x.sh", "bash runs what it is given"],
    ["rm x", "rm deletes"],
    ["git clean", "clean deletes"],
    ["git branch --delete x", "--delete deletes"],
  ])("is none for %j", (command, none) => {
    expect(ruleOf(shell, { command })).toEqual({
      none: expect.stringContaining(none) as string,
    });
  });
});

describe("ruleToGive()", () => {
  function question(
    autonomy: 2 | 3 | 4,
    change: (state: SessionState) => void = () => {},
    replace: Partial<Question> = {},
  ): Question {
    const state = emptyState("5".repeat(16));
    state.settings = {
      agent: AGENT,
      wallet: "coder",
      autonomy,
      models: [],
      limits: DEFAULT_LIMITS,
    };
    change(state);
    const input = { command: "git status" };
    return {
      state,
      session: { id: state.session, outside: state.outside, services: {} },
      call: { id: "1.1", turn: 1, run: 1, tool: "shell", input, notes: [] },
      tool: shell,
      input,
      effect: "write",
      targets: [],
      paths: [],
      key: undefined,
      held: [],
      ...replace,
    };
  }

  test("is the call's own rule, or the one a person wrote for it", () => {
    expect(ruleText(ruleToGive(question(2)))).toBe("shell(git status)");
    expect(ruleText(ruleToGive(question(2), "shell(git:*)"))).toBe("shell(git:*)");
  });

  test.each([
    ["shell(npm test)", "does not match the call"],
    ["write_file(git status)", "the rule is about write_file, not shell"],
    ["shell(python3:*)", "runs what it is given"],
    ["shell", "is no rule"],
  ])("takes no %s for it", (written, why) => {
    expect(() => ruleToGive(question(2), written)).toThrow(why);
  });

  test("is not given for money, quarantined values, or after outside content [A-580..A-582 C-059 C-060]", () => {
    expect(() => ruleToGive(question(4, () => {}, { effect: "spend" }))).toThrow("refused");
    const held = [{ argument: "command", id: "1.1", from: "page a", text: "git status" }];
    expect(() => ruleToGive(question(2, () => {}, { held }))).toThrow("held in quarantine");
    const tainted = (state: SessionState) =>
      bringIn(state, { from: "page a", atMs: 0, seq: 1, text: "x" });
    expect(() => ruleToGive(question(2, tainted))).toThrow(
      "nothing was allowed for the session: the session has read content from outside (page a)",
    );
  });

  test("is offered for the same file, and for nothing that reaches outside", () => {
    const input = { content: "a", path: "notes/a.md" };
    const call = { ...question(2).call, tool: "write_file", input };
    const offered = (level: 2 | 4, effect: "write" | "external") =>
      ruleOffered(question(level, () => {}, { effect, tool: writeFile, input, call }));
    expect(offered(2, "write")).toEqual({ tool: "write_file", text: "notes/a.md", prefix: false });
    expect(offered(4, "external")).toBeUndefined();
  });

  test("is not offered for what comes only once, as a whole patch", () => {
    const { mainArgument: _about, ...whole } = shell;
    const offered = (command: string) => {
      const tool = { ...whole, name: "patch" };
      const call = { ...question(2).call, tool: "patch", input: { command } };
      return ruleOffered(question(2, () => {}, { tool, input: { command }, call }));
    };
    expect(offered("a")).toEqual({ tool: "patch", text: '{"command":"a"}', prefix: false });
    expect(offered("a".repeat(200))).toBeUndefined();
  });

  test("is not given past what the level refuses, nor past confidential files [A-584 C-062]", () => {
    const external = { effect: "external" } as const;
    expect(() => ruleToGive(question(3, () => {}, external))).toThrow("refused at autonomy L3");
    const seen = (state: SessionState) =>
      void state.confidential.push({ what: "a.csv", atMs: 0, call: "1.1" });
    expect(() => ruleToGive(question(4, seen, external))).toThrow("which is confidential");
  });
});

describe("offeredRule()", () => {
  const write = (path: string) => offeredRule(writeFile, { content: "a", path });
  test.each([
    [write("notes/a.md"), "write_file(notes/a.md)"],
    [write("a:*"), 'write_file({"content":"a","path":"a:*"})'],
    [write("*"), 'write_file({"content":"a","path":"*"})'],
    [offeredRule(shell, { command: "git status", background: true }), "shell(git status)"],
    [offeredRule(shell, { command: "git status && ls" }), undefined],
    [offeredRule({ name: "mail" }, { to: "bob" }), 'mail({"to":"bob"})'],
    [
      offeredRule({ name: "log", mainArgument: "log" }, { log: "a", what: "b" }),
      'log({"log":"a","what":"b"})',
    ],
  ])(
    "is of the same file or command, else of the very call: %j is %s [C-016 C-019]",
    (rule, text) => {
      expect(rule === undefined ? undefined : ruleText(rule)).toBe(text);
    },
  );
});

test("a rule holds for the session until it is withdrawn, and not once it is tainted [A-583 C-061]", async () => {
  const machine = testMachine({ tools: [shell] });
  const turns = Array.from(
    { length: 6 },
    (_, index) =>
      index % 2 === 0
        ? { calls: [{ tool: "shell", input: { command: "git status" } }] }
        : { say: "Done." },
  );
  const heard = hearing();
  const { session } = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "Go.",
    who: "cli:root",
    models: [scriptOf(machine, turns)],
  }, heard.listener);
  const append = (draft: ReturnType<typeof standingGiven.draft>) => {
    const lease = machine.sessions.acquire(session);
    lease.append([draft]);
    lease.release();
  };
  const go = (options: { approve?: true; say?: string }) =>
    continueSession(machine, { session, who: "cli:root", ...options }, heard.listener);
  append(standingGiven.draft({ rule: "shell(git:*)", who: "slack:U07" }));
  expect((await go({ approve: true })).how).toBe("done");
  expect((await go({ say: "Again." })).how).toBe("done");
  append(standingWithdrawn.draft({ who: "slack:U07" }));
  expect((await go({ say: "Again." })).how).toBe("waiting");
  const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
  expect(state.calls.get("3.1")?.judged).toMatchObject({ verdict: "run", step: "standing" });
  expect(state.standing).toEqual([]);
});

test("the rules of a skill replace those it brought before, and only those [A-620]", () => {
  const drafts = [
    preApproved.draft({ from: "skill a", rules: ["shell(git status)", "shell(ls:*)"] }),
    preApproved.draft({ from: "skill b", rules: ["shell(pwd)"] }),
    preApproved.draft({ from: "skill a", rules: ["shell(date)"] }),
  ];
  const events = drafts.map((draft, index) => ({
    ...draft,
    session: "5".repeat(16),
    seq: index + 1,
    atMs: 0,
  }));
  const state = createFolder(eventKinds).fold("5".repeat(16), events);
  expect(state.preApproved.map(({ rule, from }) => `${from}: ${ruleText(rule)}`)).toEqual([
    "skill b: shell(pwd)",
    "skill a: shell(date)",
  ]);
});
