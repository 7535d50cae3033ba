import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentTools, Chat, chatCommands, traceLines, traceSession } from "#internal/agent/mod.ts";
import type { ModelPart } from "#internal/agent/mod.ts";
import { outsideTools, PAGE, READ_PAGE } from "./_outside_tools.ts";
import { AGENT, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import { askedModels, chatOn } from "./_chat.ts";

const WAITING =
  /^waiting for your approval: ledger_pay \{"amount":"1","purpose":"invoice 7","to":"bob"\} \(spending at autonomy L5; request ([0-9a-f]{8})\)$/;

describe("words", () => {
  test("start a session and go on in it [C-009 C-011]", async () => {
    const { say, lines } = chatOn(testMachine(), [{ say: "85 USD." }, { say: "Nothing waits." }]);
    const first = await say("How much is left?");
    expect(first).toMatchObject({ said: "85 USD.", end: { how: "done" } });
    const second = await say("What waits?");
    expect(second).toMatchObject({ said: "Nothing waits.", session: first.session });
    expect(lines).toEqual([
      `session ${first.session} for agent d85ed254`,
      "agent: 85 USD.",
      `session ${first.session}: done`,
      `session ${first.session} for agent d85ed254`,
      "agent: Nothing waits.",
      `session ${first.session}: done`,
    ]);
  });

  test("of one place are not another's, and hold through a restart [C-009 C-096]", async () => {
    const machine = testMachine();
    const turns = [{ say: "one" }, { say: "two" }];
    const first = chatOn(machine, turns);
    const { session } = await first.say("Hello.");
    await first.chat[Symbol.asyncDispose]();
    const place = { channel: "cli", key: "other" };
    expect((await chatOn(machine, turns, { place }).say("Hello.")).session).not.toBe(session);
    expect(await chatOn(machine, turns).say("Again.")).toMatchObject({ session, said: "two" });
  });

  test("that begin with a slash can be said with two", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ say: "Yes." }, { say: "Paths are words." }]);
    const said = await say("//status is what?");
    expect(said.said).toBe("Yes.");
    expect((await say("/etc/hosts is wrong")).said).toBe("Paths are words.");
    const { steps } = traceSession(machine, said.session ?? "");
    expect(steps.map(({ text }) => text)).toContain("slack:U07 said: /status is what?");
  });

  test("wait for the decision first, and the session is free for others meanwhile", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ calls: [PAY_BOB] }]);
    const { said, session } = await say("Pay bob.");
    const again = await say("And carol.");
    expect(again).toMatchObject({ refused: "waits", session });
    expect(again.said).toBe(`${said}: write /approve or /decline <why> first`);
    machine.sessions.acquire(session ?? "").release();
  });

  test("that cannot begin say why, and start no session", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, ["script:none.json"]);
    expect(await say("Hello.")).toMatchObject({
      refused: "script",
      session: null,
      said: expect.stringMatching(/^there is no script .*none\.json: give one/),
    });
    expect(machine.sessions.list()).toEqual([]);
  });

  test("that a channel hands in again are gone on with, not said twice", async () => {
    const machine = testMachine();
    const { chat, lines } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }, {
      say: "No.",
    }]);
    const listener = () => {};
    const say = (text: string, id: string) =>
      chat.handle({ text, id, who: "slack:U07", mayDecide: true }, listener);
    const first = await say("Pay bob.", "m1");
    expect(await say("Pay bob.", "m1")).toEqual(first);
    await say("/approve", "m2");
    expect((await say("Pay bob.", "m1")).said).toBe("Paid.");
    expect(machine.ledger.paid).toHaveLength(1);
    expect(chat.state()?.said).toHaveLength(1);
    expect((await say("Pay bob.", "m3")).said).toBe("No.");
    expect(lines).toEqual([]);
  });

  test("of a million characters are taken, more are not", async () => {
    const { say } = chatOn(testMachine(), [{ say: "Long." }]);
    expect((await say("x".repeat(1_000_000))).said).toBe("Long.");
    expect(await say("x".repeat(1_000_001))).toMatchObject({ refused: "option" });
  });
});

describe("commands", () => {
  test("that are none are answered with a pointer to /help, and not given to the agent [C-046]", async () => {
    const { say } = chatOn(testMachine(), []);
    expect(await say("/stauts")).toMatchObject({
      refused: "unknown-command",
      session: null,
      said: "there is no command /stauts, did you mean /status: /help lists them, and // in " +
        "front says it to the agent as it is",
    });
    expect((await say("/xyzzy now")).said).toMatch(
      /^there is no command \/xyzzy: \/help lists them/,
    );
  });

  test("are known in any case and with a messenger's name behind them", async () => {
    const { say } = chatOn(testMachine(), []);
    expect((await say("/Help")).said).toBe((await say("/help@sion_bot ")).said);
  });

  test("that take nothing refuse what stands behind them, but for /stop", async () => {
    const { say } = chatOn(testMachine(), []);
    for (const line of ["/undo 3", "/retry now", "/compact all", "/new one"]) {
      expect(await say(line)).toMatchObject({
        refused: "argument",
        said: `${line.split(" ")[0]} takes nothing behind it: write it alone; nothing was done`,
      });
    }
    expect(await say("/stop now")).not.toHaveProperty("refused");
  });

  test("a slash alone, or /?, lists them [C-046]", async () => {
    const { ask } = chatOn(testMachine(), []);
    for (const bare of ["/", "/ ", "/?"]) expect((await ask(bare)).said).toMatch(/^\/stop /);
  });

  test("/help lists each with what it does [C-043]", async () => {
    const { said } = await chatOn(testMachine(), []).ask("/help");
    for (const { name } of chatCommands) expect(said).toMatch(new RegExp(`^/${name}\\b`, "m"));
    expect(said.split("\n")[0]).toMatch(/^\/stop +stops what the agent is doing, at once$/);
  });

  test("/whoami tells who one is and what one may do [C-042]", async () => {
    const { say, ask } = chatOn(testMachine(), []);
    expect((await say("/whoami")).said).toMatch(
      /^You are slack:U07\. .*approve and decline its calls/,
    );
    expect((await ask("/whoami")).said).toBe(
      "You are slack:U08. You may talk to the agent; its calls are for others to approve and decline.",
    );
  });

  test("/approve, /decline, /model, /system and /tools are for those who may decide [C-048]", async () => {
    const machine = testMachine();
    const { say, ask } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }], {
      deciders: "slack:U07",
    });
    await say("Pay bob.");
    for (const name of ["approve", "decline", "model", "system", "tools"]) {
      expect(await ask(`/${name}`)).toMatchObject({
        refused: "may-not-decide",
        said: `/${name} is for those who may decide here: slack:U07`,
      });
    }
    expect(machine.ledger.paid).toEqual([]);
    const others = chatCommands.filter(({ needsDecider }) => !needsDecider);
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(["stop", "undo", "new"]));
  });

  test("/approve decides the call that waits, and keeps who did [C-013 C-053 C-057 A-575]", async () => {
    const machine = testMachine();
    const { say, lines } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }]);
    const { said, session } = await say("Pay bob.");
    expect(said).toMatch(WAITING);
    expect(await say("/approve")).toMatchObject({ said: "Paid.", session, end: { how: "done" } });
    expect(lines).toContain(
      ' → ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"} (approved by slack:U07)',
    );
    expect(machine.ledger.paid).toHaveLength(1);
    const [payment] = traceSession(machine, session ?? "").payments;
    expect(payment).toMatchObject({ approved_by: "slack:U07", said_by: "slack:U07", turn: 1 });
  });

  test("/approve and /decline with an id decide only the request that waits [C-014 C-015]", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "As you wish." }]);
    const request = WAITING.exec((await say("Pay bob.")).said)?.[1] ?? "";
    expect(await say("/approve 00000000")).toMatchObject({
      refused: "not-waiting",
      said: "request 00000000 no longer waits: nothing was done",
    });
    expect(await say("/decline 00000000 no")).toMatchObject({ refused: "not-waiting" });
    expect(await say("/approve please")).toMatchObject({ refused: "not-waiting" });
    const declined = await say(`/decline ${request.toUpperCase()} too much`);
    expect(declined.said).toBe("As you wish.");
    expect(await say(`/approve ${request}`)).toMatchObject({
      said: expect.stringMatching(
        new RegExp(`^request ${request} no longer waits, slack:U07 declined it at \\d\\d:\\d\\d: `),
      ),
    });
    expect(machine.ledger.paid).toEqual([]);
  });

  test("/decline tells the agent why [C-013 A-578 A-636]", async () => {
    const machine = testMachine();
    const { say, lines } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Sorry." }]);
    await say("Pay bob.");
    expect((await say("/decline it is carol's")).said).toBe("Sorry.");
    expect(lines).toContain(" ✗ declined by slack:U07: it is carol's");
  });

  describe("/approve always", () => {
    const write = (path: string, content = "x") => ({
      tool: "write_file",
      input: { path, content },
    });
    const working = () => {
      const machine = testMachine();
      mkdirSync(join(machine.folder, "work"));
      return machine;
    };
    const options = { workspace: "work", autonomy: "L2" };

    test("allows the same call for the session, until /allowed off [C-016 C-021 C-022 C-049]", async () => {
      const turns = [
        { calls: [write("a")] },
        { calls: [write("a")] },
        { calls: [write("b")] },
        { say: "Two written." },
        { calls: [write("a")] },
      ];
      const { say, ask, lines } = chatOn(working(), turns, options);
      expect((await ask("/allowed")).said).toBe("No session yet: the next message starts one.");
      await say("Write.");
      expect((await ask("/allowed")).said).toBe(
        "The session may do nothing without asking beyond its autonomy level.",
      );
      expect((await say("/approve always")).said).toMatch(
        /write_file \{"content":"x","path":"b"\}/,
      );
      expect(lines.filter((line) => line === " ← wrote 1 byte to a")).toHaveLength(2);
      expect((await ask("/allowed")).said).toBe(
        'write_file({"content":"x","path":"a"}) (slack:U07)',
      );
      expect(await ask("/allowed of")).toMatchObject({ refused: "option" });
      await say("/decline");
      expect((await ask("/allowed off")).said).toMatch(/^Nothing is allowed any more/);
      expect((await say("Again.")).said).toMatch(/^waiting for your approval/);
    });

    test("allows what a rule matches, and who allowed it is in the trace [C-017 C-018 C-053]", async () => {
      const machine = working();
      mkdirSync(join(machine.folder, "work", "notes"));
      const turns = [
        { calls: [write("notes/a"), write("notes/b"), write("other")] },
        { say: "Done." },
      ];
      const { say, lines } = chatOn(machine, turns, options);
      const { session } = await say("Write.");
      expect((await say("/approve always write_file(notes:*)")).said).toMatch(/"path":"other"/);
      expect(lines).toContain(" ← wrote 1 byte to notes/b");
      const trace = traceLines(traceSession(machine, session ?? "")).join("\n");
      expect(trace).toContain("slack:U07 allowed write_file(notes:*) for the session");
      expect(trace).toMatch(/call 1\.2 write_file {.*} \(write\) runs by standing/);
    });

    test.each([
      ["always read_file(a:*)", "the rule is about read_file, not write_file"],
      ["always write_file(other:*)", "write_file(other:*) does not match the call"],
      ["always write_file", "write_file is no rule"],
      ["always write_file(*)", "write_file(*) is no rule"],
    ])("%s decides nothing, and says why [C-019]", async (argument, why) => {
      const machine = working();
      const { say } = chatOn(machine, [{ calls: [write("a")] }], options);
      const { said } = await say("Write.");
      const request = /request ([0-9a-f]{8})/.exec(said)?.[1] ?? "";
      const refused = await say(`/approve ${request} ${argument}`);
      expect(refused.refused).toBe("rule");
      expect(refused.said).toContain(why);
      expect((await say("/status")).said).toBe(said);
    });

    test("is never given for a payment [C-058]", async () => {
      const machine = testMachine();
      const { say } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }]);
      await say("Pay bob.");
      expect(await say("/approve always")).toMatchObject({
        refused: "rule",
        said: "nothing was allowed for the session: a payment is approved on its own",
      });
      expect(machine.ledger.paid).toEqual([]);
      expect((await say("/approve")).said).toBe("Paid.");
    });
  });

  test("/new starts over and /resume goes back [C-023 C-031 C-032]", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ say: "one" }, { say: "two" }]);
    const { session: first } = await say("Hello there.");
    expect(await say("/new")).toMatchObject({
      session: null,
      said: `The next message starts a new session. /resume ${first} goes back to this one.`,
    });
    const { session: second } = await say("Good day.");
    expect(second).not.toBe(first);
    expect((await say("/sessions")).said.split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^\\* ${second} \\S+ \\S+ done Good day\\.$`)),
      expect.stringMatching(new RegExp(`^  ${first} \\S+ \\S+ done Hello there\\.$`)),
    ]);
    expect((await say(`/resume ${first?.slice(0, 12)}`)).said).toBe(
      `Back in session ${first} (done): Hello there.`,
    );
    expect(await say("On.")).toMatchObject({ session: first, said: "two" });
    const stranger = await Promise.resolve(machine.sessions.create([]));
    stranger.release();
    expect(await say(`/resume ${stranger.session}`)).toMatchObject({ refused: "nothing-said" });
    expect((await say("/resume")).said).toBe("which session: /sessions lists them with their ids");
  });

  test("/title names the session [C-033]", async () => {
    const { say, chat } = chatOn(testMachine(), [{ say: "one" }]);
    expect((await say("/title x")).said).toMatch(/^there is no session yet/);
    await say("Hello there.");
    expect((await say("/title")).said).toBe("This session is called Hello there..");
    expect((await say("/title  The  greeting\n")).said).toBe(
      "This session is called The greeting.",
    );
    expect((await say("/sessions")).said).toMatch(/ done The greeting$/);
    expect(chat.state()?.title).toBe("The greeting");
    expect(await say(`/title ${"x".repeat(101)}`)).toMatchObject({ refused: "option" });
  });

  test("/status tells where the session stands, and only that when all is well [C-024 C-047]", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ say: "85 USD left in the budget." }, { calls: [PAY_BOB] }]);
    expect((await say("/status")).said).toBe("No session yet: the next message starts one.");
    const { session } = await say("How much budget is left?");
    expect(await say("/status")).toEqual({
      said: "85 USD left in the budget.",
      session,
      details: [
        `session ${session} for agent d85ed254 at L5, model script:${
          join(machine.folder, "s.json")
        }`,
      ],
    });
    await say("Pay bob.");
    expect((await say("/status")).said).toMatch(WAITING);
    await say("/approve");
    expect((await say("/status")).said).toBe(
      "stopped: the script s.json has no turn 3 (its 2 turns were played)",
    );
  });

  test("/status names what is confidential or from outside in the session, each once [C-024 A-629]", async () => {
    const machine = testMachine({
      tools: [...agentTools, ...outsideTools({ [PAGE]: { text: "x" } })],
    });
    const work = join(machine.folder, "work");
    mkdirSync(work);
    for (const n of [1, 2, 3, 4, 5, 6, 7]) writeFileSync(join(work, `${n}.csv`), "x\n");
    const reads = [1, 1, 2, 3, 4, 5, 6, 7].map((n) => ({
      tool: "read_file",
      input: { path: `${n}.csv` },
    }));
    const options = { workspace: "work", given: { confidential: ["*.csv"] } };
    const { say } = chatOn(
      machine,
      [{ calls: [READ_PAGE] }, { calls: reads }, { say: "Read." }],
      options,
    );
    await say(`Read ${PAGE} and the files.`);
    const [said, outside, confidential] = (await say("/status")).said.split("\n");
    expect(said).toBe("Read.");
    expect(outside).toMatch(
      /^content from outside is in this session: page https:.* at \d{4}-\d\d-\d\d \d\d:\d\dZ$/,
    );
    expect(confidential).toBe(
      "confidential in this session: 1.csv, 2.csv, 3.csv, 4.csv, 5.csv and 2 more",
    );
  });

  test("/usage tells messages, turns and tokens [C-028 C-030 A-592]", async () => {
    const machine = testMachine({
      providers: [askedModels([], () => "Yes.")],
    });
    const { say } = chatOn(machine, ["asked:a"]);
    expect((await say("/usage")).said).toBe("no session yet: the next message starts one");
    await say("One?");
    await say("Two?");
    expect((await say("/usage")).said).toBe(
      "2 messages, 2 turns, 220 tokens (200 in, 20 out)\na run may have 100 turns",
    );
  });
});

describe("while the agent works", () => {
  /** A model that writes until it is stopped. */
  function endless(): {
    readonly machine: ReturnType<typeof testMachine>;
    readonly writing: Promise<void>;
    readonly closed: Promise<void>;
  } {
    const writing = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    async function* words(signal: AbortSignal): AsyncGenerator<ModelPart> {
      yield { type: "text", text: "Once upon" };
      yield { type: "text", text: " a time" };
      writing.resolve();
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          closed.resolve();
          reject(signal.reason as Error);
        });
      });
    }
    const machine = testMachine({
      providers: [
        askedModels([], ({ texts }, signal) => texts.length > 1 ? "Go on." : words(signal)),
      ],
    });
    return { machine, writing: writing.promise, closed: closed.promise };
  }

  test("/stop cuts a model off and keeps what it wrote; what waited is dropped [C-012 C-066]", async () => {
    const { machine, writing, closed } = endless();
    const { say, ask, chat } = chatOn(machine, ["asked:a"]);
    expect((await say("/stop")).said).toBe("The agent is not at work.");
    const story = say("Tell a story.");
    await writing;
    const waits = say("And another.");
    expect((await ask("/stop")).said).toBe("Stopping.");
    await closed;
    const end = await story;
    expect(end).toMatchObject({
      said: "Once upon a time\n\nStopped.",
      end: { how: "stopped", code: "cancelled" },
    });
    expect(await waits).toMatchObject({ refused: "dropped", said: "" });
    expect(chat.state()?.turns.at(-1)).toMatchObject({ text: "Once upon a time", stop: "cut" });
    expect((await say("More.")).said).toBe("Go on.");
  });

  test("/status, /help, /usage and /sessions are answered at once [C-063]", async () => {
    const { machine, writing } = endless();
    const { say, ask } = chatOn(machine, ["asked:a"]);
    const story = say("Tell a story.");
    await writing;
    expect((await ask("/status")).said).toMatch(/^at work for 0 s: the model writes$/);
    expect((await ask("/usage")).said).toMatch(/^1 message, 0 turns/);
    expect((await ask("/sessions")).said).toMatch(
      /^\* [0-9a-f]{16} \S+ \S+ running Tell a story\.$/,
    );
    expect((await ask("/help")).said).toMatch(/^\/stop/);
    await say("/stop");
    await story;
    const atOnce = chatCommands.filter(({ whileWorking }) => whileWorking).map(({ name }) => name);
    expect(atOnce.toSorted()).toEqual(["help", "sessions", "status", "stop", "usage"]);
  });

  test("any other command waits on a bridge, and is refused elsewhere [C-064 C-065]", async () => {
    const { machine, writing } = endless();
    const { say, chat } = chatOn(machine, ["asked:a"]);
    const story = say("Tell a story.");
    await writing;
    const title = say("/title Stories");
    let isAnswered = false;
    void title.then(() => isAnswered = true);
    await say("/status");
    expect(isAnswered).toBe(false);
    chat.stop();
    await story;
    // What waited when it was stopped is dropped.
    expect(await title).toMatchObject({ refused: "dropped" });

    const other = endless();
    const http = chatOn(other.machine, ["asked:a"], { whenBusy: "refuse" });
    const told = http.say("Tell a story.");
    await other.writing;
    for (const text of ["/title Stories", "Another."]) {
      expect(await http.say(text)).toMatchObject({
        refused: "busy",
        said: "the agent is at work here: /stop stops it, /status says where it stands",
      });
    }
    http.chat.stop();
    await told;
    expect((await http.say("/title Stories")).said).toBe("This session is called Stories.");
  });

  test("messages are answered one after another, in the order they came [C-064]", async () => {
    const { say } = chatOn(testMachine(), [{ say: "1" }, { say: "2" }, { say: "3" }]);
    const said = await Promise.all(["a", "b", "c"].map(say));
    expect(said.map((one) => one.said)).toEqual(["1", "2", "3"]);
  });

  test("another process holds the session: it is said, and nothing is done", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ say: "1" }, { say: "2" }]);
    const { session } = await say("a");
    const lease = machine.sessions.acquire(session ?? "");
    expect(await say("b")).toMatchObject({ refused: "session-busy" });
    expect((await say("/stop")).said).toBe("The session is at work somewhere else: stop it there.");
    lease.release();
    expect((await say("b")).said).toBe("2");
  });

  test("/status tells a session at work somewhere else from one that was cut off [C-024]", async () => {
    const { machine, writing } = endless();
    const there = chatOn(machine, ["asked:a"]);
    const here = chatOn(machine, ["asked:a"]);
    const story = there.say("Tell a story.");
    await writing;
    expect((await here.say("/status")).said).toBe("at work somewhere else");
    there.chat.stop();
    await story;
    expect((await here.say("/status")).said).toBe("Once upon a time\n\nstopped: it was stopped");
  });

  test("what another process wrote meanwhile is gone on from", async () => {
    const machine = testMachine();
    const turns = [{ calls: [PAY_BOB] }, { say: "Paid." }, { say: "Twice." }];
    const here = chatOn(machine, turns);
    await here.say("Pay bob.");
    const models = [scriptOf(machine, turns)];
    const there = new Chat({
      machine,
      place: { channel: "cli", key: "ops" },
      profile: { wallet: "coder", agent: AGENT, models },
      whenBusy: "wait",
    });
    await there.handle({ text: "/approve", who: "cli:root", mayDecide: true });
    await there[Symbol.asyncDispose]();
    expect((await here.say("/status")).said).toBe("Paid.");
    expect((await here.say("Again?")).said).toBe("Twice.");
  });

  test("a conversation that is closed stops its run, and takes nothing more", async () => {
    const { machine, writing } = endless();
    const { say, chat } = chatOn(machine, ["asked:a"]);
    const story = say("Tell a story.");
    await writing;
    await chat[Symbol.asyncDispose]();
    expect(await story).toMatchObject({ end: { how: "stopped" } });
    expect(await say("More.")).toMatchObject({ refused: "closed" });
  });
});
