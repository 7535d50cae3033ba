/** A conversation at a terminal, as a person sees it there and types. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ConversationEvent } from "#internal/agent/mod.ts";
import { testScreen } from "./_screen.ts";

const CALL = { type: "tool", call: "1.1", tool: "read_file", input: { path: "cart.py" } } as const;
const PAY: ConversationEvent = {
  type: "waiting",
  session: "3ffd3b1fd4d6aa36",
  request: "e415977a",
  tool: "ledger_pay",
  input: { amount: "1", purpose: "invoice 7", to: "bob" },
  why: "spending at autonomy L5",
  says: "Pay 1 USD to bob for invoice 7.",
};
const delta = (text: string): ConversationEvent => ({ type: "delta", text });

describe("ChatScreen", () => {
  test("shows words as they come, calls as they begin and end, and keeps the input below", async () => {
    const { hear, screen, text, type } = testScreen();
    screen.setStatus("lead", "L5", "/help");
    await type("and then");
    await hear(
      delta("I will **look** at it.\nOne mom"),
      { ...CALL, state: "calling" },
      { ...CALL, state: "running" },
    );
    expect(await text()).toBe(
      'agent: I will look at it.\nOne mom\n → read_file {"path":"cart.py"}\n> and then\nlead · L5 · /help',
    );
    await hear({ ...CALL, state: "ok", text: "1 total = 3" }, delta("It is"));
    expect(await text()).toContain(" ← 1 total = 3\nagent: It is\n> and then\n");
    await hear(delta(" 3."), { type: "done", session: "s", said: "It is 3.", files: [] });
    expect(await text()).toContain("\nagent: It is 3.\n> and then\n");
  });

  test("shows the last words of both where a conversation goes on", async () => {
    const { hear, text, view } = testScreen();
    view.lastSaid({ text: "Add it.", answer: "It is **3**.\n\nDone." });
    await hear(delta("And"));
    expect(await text()).toBe("you: Add it.\nagent: It is 3.\n\nDone.\nagent: And\n>");
  });

  test("gives what was said, several lines of it too, and begins anew", async () => {
    const { asked, cursor, text, type } = testScreen();
    await type("one\ntwo", "\r");
    expect(asked).toEqual([{ said: "one\ntwo" }]);
    expect(await text()).toBe(">");
    expect(await cursor()).toEqual([2, 0]);
  });

  test("wraps a long input and keeps the cursor where the next character goes", async () => {
    const { cursor, text, type } = testScreen(20);
    await type("abcdefghijklmnopqrstuvwxyz");
    expect(await text()).toBe("> abcdefghijklmnopq\n  rstuvwxyz");
    expect(await cursor()).toEqual([11, 1]);
    await type("\x1b[H");
    expect(await cursor()).toEqual([2, 0]);
  });

  test("shows a long paste as how long it is and sends it whole", async () => {
    const { asked, text, type } = testScreen();
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n");
    await type("look at ", `\x1b[200~${lines}\x1b[201~`);
    expect(await text()).toBe("> look at [paste 1, 30 lines]");
    await type("\r");
    expect(asked).toEqual([{ said: `look at ${lines}` }]);
  });

  test("takes a pasted or dragged path of a file for the file, and sends it with what is written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-paste-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const at = (name: string) => join(folder, name);
    writeFileSync(at("cart.png"), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10));
    truncateSync(at("cart.png"), 12_345);
    writeFileSync(at("my notes.txt"), "a note");
    mkdirSync(at("deep"));
    writeFileSync(at("deep/cart.png"), readFileSync(at("cart.png")));
    const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;
    const pasted: readonly (readonly [text: string, shown: string, files: readonly string[]])[] = [
      [at("cart.png"), "[picture cart.png, 12 kB]", [at("cart.png")]],
      [`${at("my notes.txt")} `, "[file my notes.txt, 6 B]", [at("my notes.txt")]],
      [at("my notes.txt").replace(" ", "\\ "), "[file my notes.txt, 6 B]", [at("my notes.txt")]],
      [
        `'${at("my notes.txt")}' "${at("cart.png")}"`,
        "[file my notes.txt, 6 B] [picture cart.png, 12 kB]",
        [at("my notes.txt"), at("cart.png")],
      ],
      [
        `file://${folder}/my%20notes.txt\n${at("cart.png")}`,
        "[file my notes.txt, 6 B] [picture cart.png, 12 kB]",
        [at("my notes.txt"), at("cart.png")],
      ],
      [
        `${at("cart.png")} ${at("deep/cart.png")}`,
        "[picture cart.png, 12 kB] [picture cart.png, 12 kB, 2]",
        [at("cart.png"), at("deep/cart.png")],
      ],
    ];
    for (const [text, shown, files] of pasted) {
      const { asked, type } = testScreen(90);
      await type("see ", paste(text), "\r");
      expect(asked).toEqual([{ said: `see ${shown} `, files }]);
    }
    const { asked, text, type } = testScreen(90);
    for (const words of [at("none.png"), `look at ${at("cart.png")}`, "cart.png", folder, "'"]) {
      await type(paste(words), "\r");
      expect(asked.at(-1)).toEqual({ said: words });
    }
    // What is taken out again is not sent, and what is brought back is.
    await type(paste(at("cart.png")), "\x15", "no", "\r");
    expect(asked.at(-1)).toEqual({ said: "no" });
    await type(paste(at("cart.png")), "\r", "\x1b[A", "\r");
    expect(asked.at(-1)).toEqual({ said: "[picture cart.png, 12 kB] ", files: [at("cart.png")] });
    truncateSync(at("my notes.txt"), 25_000_001);
    await type(paste(at("my notes.txt")));
    expect(await text()).toContain("my notes.txt has 25.0 MB: a file of at most 25 MB can be sent");
  });

  test("takes a file by /file and its path, and says when there is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-file-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "my notes.txt");
    writeFileSync(file, "a note");
    const { asked, text, type } = testScreen(80);
    await type("/file none.txt", "\r");
    expect(await text()).toBe("error: there is no file none.txt\n>");
    await type("/file", "\r");
    expect(await text()).toContain("error: /file needs a path: for example /file cart.png");
    await type(`/file ${file}`, "\r", "look", "\r");
    expect(asked).toEqual([{ said: "[file my notes.txt, 6 B] look", files: [file] }]);
  });

  test("says why a run stopped, not to whoever stopped it", async () => {
    const { hear, text } = testScreen(90);
    const session = "3ffd3b1fd4d6aa36";
    await hear({ type: "error", session, code: "cancelled", message: "it was stopped" });
    expect(await text()).toBe(">");
    await hear({ type: "error", session, code: "steps", message: "the run has had its 2 turns" });
    expect(await text()).toBe(
      "error: the run has had its 2 turns; what you say next goes on\n>",
    );
  });

  test("asks with the sentence, the cause and the request, and takes one key", async () => {
    const { asked, hear, text, type } = testScreen(80);
    await type("draft");
    await hear(PAY);
    expect(await text()).toBe(
      "waiting for you: ledger_pay (spending at autonomy L5; request e415977a)\n" +
        "  Pay 1 USD to bob for invoice 7.\n" +
        "  y once   n decline and say why   v the whole call   ? help",
    );
    await type("\r", "\x1b", "x", "Y", "s");
    expect(asked).toEqual([]);
    await type("y");
    expect(asked).toEqual([{ decided: { request: "e415977a", approve: true } }]);
  });

  test("throws away what was typed before the question could be read", async () => {
    const { asked, hear, screen, type } = testScreen();
    await hear(PAY);
    screen.input("y");
    expect(asked).toEqual([]);
    await type("y");
    expect(asked).toHaveLength(1);
  });

  test("asks why when the answer is no, and Escape goes back to the question", async () => {
    const { asked, hear, text, type, wait } = testScreen(80);
    await hear(PAY);
    await type("n");
    expect(await text()).toMatch(/\nwhy not:$/);
    await type("to", "\x1b");
    wait(100);
    expect(await text()).toMatch(/\? help$/);
    await type("n", "too much", "\r");
    expect(asked).toEqual([{ decided: { request: "e415977a", approve: false, why: "too much" } }]);
  });

  test("brings back what was being written when the question is answered", async () => {
    const { hear, screen, text, type, view } = testScreen(80);
    await type("and bu");
    await hear(PAY);
    view.answered();
    screen.draw();
    await type("y milk");
    expect(await text()).toMatch(/> and buy milk$/);
  });

  test("offers a standing approval only by its exact rule, and only where one may be given", async () => {
    const { asked, hear, text, type } = testScreen(100);
    const rule = "edit_file(cart.py)";
    await hear({ ...PAY, tool: "edit_file", says: "Edit cart.py.", rule } as ConversationEvent);
    expect(await text()).toContain("   s always edit_file(cart.py)   v the whole call");
    await type("?");
    expect(await text()).toContain("those that the rule names");
    await type("s");
    expect(asked).toEqual([{ decided: { request: "e415977a", approve: true, always: rule } }]);
  });

  test("shows the keys whole at 40 columns, a long rule too, and money and taint below", async () => {
    const { hear, screen, text } = testScreen(40, 30);
    screen.setStatus("lead", "L5", "85 USD left", "nothing from outside", "12.4k tokens");
    const rule = "edit_file(internal/cli/terminal/chat_screen.ts)";
    await hear({ ...PAY, tool: "edit_file", says: "Change it.", rule } as ConversationEvent);
    expect(await text()).toBe(
      "waiting for you: edit_file (spending at\nautonomy L5; request e415977a)\n  Change it.\n" +
        "  y once   n decline and say why\n" +
        "  s always edit_file(internal/cli/termi\n  nal/chat_screen.ts)\n" +
        "  v the whole call   ? help\n" +
        "lead · L5 · 85 USD left\nnothing from outside · 12.4k tokens",
    );
  });

  test("shows a long paste again as what it was when it is brought back, and sends it whole", async () => {
    const { asked, type } = testScreen();
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n");
    await type(`\x1b[200~${lines}\x1b[201~`, "\r", "\x1b[A", "\r");
    expect(asked).toEqual([{ said: lines }, { said: lines }]);
    const long = "x".repeat(5_000);
    await type(`\x1b[200~${long}\x1b[201~`, "\r");
    expect(asked.at(-1)).toEqual({ said: long });
  });

  test("shows the beginning of what was said where it is long", async () => {
    const { screen, text, view } = testScreen(60, 30);
    view.personSaid(Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n"));
    screen.draw();
    expect(await text()).toMatch(/^you: line 0\n(line \d\n){5}… 4994 more lines\n>$/);
  });

  test("wraps words between them, and leaves code as it is", async () => {
    const { hear, text } = testScreen(30, 30);
    await hear(
      delta(
        "A rather long line of words that wraps.\n```\na rather long line of code, which is\n```\n",
      ),
    );
    expect(await text()).toBe(
      "agent: A rather long line of\nwords that wraps.\n```\na rather long line of code, wh\nich is\n```\n>",
    );
  });

  test("shows what is typed or pasted of control characters, and obeys none", async () => {
    const { text, type } = testScreen();
    await type("\x1b[200~a\x1b[2Jb\x1b[201~");
    expect(await text()).toBe("> a\\u001b[2Jb");
  });

  test("leaves long arguments out of a call's line, and says that they are", async () => {
    const { hear, text } = testScreen(90, 30);
    const content = "a line\n".repeat(40);
    const write = { ...CALL, tool: "write_file", input: { content, path: "a.txt" } } as const;
    await hear({ ...write, state: "calling" }, {
      ...CALL,
      tool: "shell",
      input: { command: content },
      state: "calling",
    });
    const shown = await text();
    expect(shown).toContain(' → write_file {"path":"a.txt",…}\n');
    expect(shown).toMatch(/ → shell \{"command":"a line\\na line[\s\S]*…/);
  });

  test("shows the change of files above the question, and the whole call at a key", async () => {
    const diff = "--- cart.py\n+++ cart.py\n@@ -2,2 +2,1 @@\n def total():\n-  return 1\n";
    const { hear, text, type } = testScreen(80, 24);
    await hear({ ...PAY, diff } as ConversationEvent);
    expect(await text()).toMatch(
      /^ {2}--- cart\.py\n {2}\+\+\+ cart\.py\n.*\n {3}def total\(\):\n {2}- {2}return 1\nwaiting for you/,
    );
    await type("v");
    expect(await text()).toContain('"purpose": "invoice 7"');
  });

  test("never obeys what a tool, a file or a model wrote", async () => {
    const evil = "\x1b[2J\x1b]0;owned\x07\r← approved\u202e";
    const { hear, text } = testScreen(120, 30);
    await hear(
      delta(`${evil}\n`),
      { ...CALL, input: { path: evil }, state: "calling" },
      { ...CALL, state: "failed", text: evil },
      { ...PAY, tool: "x", says: evil, why: evil, diff: `+${evil}` } as ConversationEvent,
    );
    const shown = await text();
    expect(shown.split("\\u001b[2J")).toHaveLength(7);
    expect(shown).not.toMatch(/^← approved/m);
    expect(shown).not.toContain("\u202e");
  });

  test("stays whole when the terminal becomes narrower, wider, lower", async () => {
    const { resize, screen, text, type } = testScreen(60);
    screen.setStatus("status");
    await type("abcdefghijklmnopqrstuvwxyz");
    for (const [columns, rows] of [[24, 6], [40, 4], [80, 20]] as const) {
      await resize(columns, rows);
      expect((await text()).replaceAll(/\s/g, "")).toMatch(/>abcdefghijklmnopqrstuvwxyzstatus$/);
    }
  });

  test("names the call of a result where other calls stand between them", async () => {
    const { hear, text } = testScreen(60, 30);
    const other = { ...CALL, call: "2.9", input: { path: "b.py" } };
    await hear({ ...CALL, state: "calling" }, { ...other, state: "calling" });
    await hear({ ...CALL, state: "ok", text: "1 a" }, { ...other, state: "failed", text: "none" });
    expect(await text()).toContain(
      ' → read_file {"path":"cart.py"}\n → read_file {"path":"b.py"}\n' +
        ' ← read_file {"path":"cart.py"}\n1 a\n ✗ read_file {"path":"b.py"}\nnone\n',
    );
  });

  test("does not show a call again that was approved right here", async () => {
    const { hear, text, type, view } = testScreen(60, 30);
    const calling = {
      ...{ type: "tool", call: "3.1", state: "calling", tool: "ledger_pay" } as const,
      ...{ input: PAY.type === "waiting" ? PAY.input : null, by: "cli:me" },
    };
    await hear(PAY);
    await type("y");
    view.answered();
    await hear(calling, { ...calling, state: "ok", text: "Done: paid." });
    expect(await text()).toContain("\n → ledger_pay (approved by cli:me)\n ← Done: paid.\n");
    // Decided elsewhere, it was not seen here.
    await hear(calling);
    expect(await text()).toMatch(/ → ledger_pay \{"amount":"1",[^>]*\(approved by cli:me\)/);
  });

  test("wraps what a call gave between words, columns below each other", async () => {
    const { hear, text } = testScreen(40, 30);
    await hear(
      { ...CALL, state: "calling" },
      { ...CALL, state: "ok", text: "1\tLet agents act and spend under rules\n2\tand see" },
    );
    expect(await text()).toContain(
      " ← 1    Let agents act and spend under\n        rules\n2       and see",
    );
  });

  test("loses no line above a question whose last row fits the narrower screen twice", async () => {
    const { hear, resize, text } = testScreen(100, 40);
    await hear({
      ...{ type: "waiting", session: "5", request: "2d48c4a3", tool: "write_file", input: {} },
      ...{ why: "writing at autonomy L2", says: "Write a.txt: 1 byte.", rule: "write_file(a.txt)" },
    });
    expect((await text()).split("\n").at(-1)).toHaveLength(89);
    await resize(45, 40);
    expect(await text()).toContain("\n  Write a.txt: 1 byte.\n  y once   n decline and say why\n");
  });

  test("shows a long result in a few lines and the rest at Ctrl-O", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `row ${i}`).join("\n");
    const { hear, text, type } = testScreen(60, 60);
    await hear({ ...CALL, state: "calling" }, { ...CALL, state: "ok", text: lines });
    expect(await text()).toContain(
      " ← row 0\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\n… 34 more lines (Ctrl-O shows them)",
    );
    expect(await text()).not.toContain("row 39");
    await type("\x0f");
    expect(await text()).toContain("row 39");
    const later = lines.replaceAll("row", "line");
    await hear({ ...CALL, call: "9.9", state: "ok", text: later });
    await type("\x0f");
    expect(await text()).toMatch(/line 39\n>$/);
    await type("\x0f");
    expect(await text()).toMatch(/row 39\n>$/);
    await type("\x0f");
    expect(await text()).toMatch(/no other result was shortened\n>$/);
  });

  test("tells Ctrl-C at any time, and Ctrl-D where nothing is written", async () => {
    const { asked, hear, type } = testScreen();
    await type("a", "\x04", "\x03", "\x7f", "\x04");
    await hear(PAY);
    await type("\x03");
    expect(asked).toEqual(["interrupted", "left", "interrupted"]);
  });

  test("leaves the terminal with what was shown and nothing else", async () => {
    const { hear, screen, text, type } = testScreen();
    await type("half");
    await hear(delta("done.\n"));
    screen.close();
    expect(await text()).toBe("agent: done.");
  });
});
