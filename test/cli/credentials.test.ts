import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

const SECRET = "sk-0123456789abcdef";

describe("sion agent credential", () => {
  const bench = useBench();
  const add = (stdin: string, ...words: string[]) =>
    bench.sionIn({ stdin }, "agent", "credential", "add", ...words);

  it("add keeps what comes through standard input, and shows nothing of it [A-585 A-586 A-632]", async () => {
    const { code, stdout, stderr } = await add(`${SECRET}\n`, "OPENAI_API_KEY");
    const key = join(bench.home, "agents/credentials.key");
    expect(stdout).toBe(`kept OPENAI_API_KEY, encrypted; its key is in ${key}\n`);
    expect([code, stderr]).toEqual([0, ""]);
    const again = await add("other value", "OPENAI_API_KEY");
    expect(again.stdout).toMatch(/^replaced OPENAI_API_KEY, encrypted; /);
    const json = await add("imap.example.com", "MAIL_HOST", "--setting", "--json");
    expect(json.json()).toEqual({
      key: "file",
      name: "MAIL_HOST",
      replaced: false,
      secret: false,
    });
  });

  it("add asks a person at a terminal, and takes no value as an argument [A-586]", async () => {
    const asked = await bench.sionIn(
      { hidden: SECRET, tty: true },
      ...["agent", "credential", "add", "OPENAI_API_KEY"],
    );
    expect(asked.stderr).toBe("OPENAI_API_KEY (not shown): ");
    expect(asked.stdout).not.toContain(SECRET);
    const argument = await bench.sion("agent", "credential", "add", "OPENAI_API_KEY", SECRET);
    expect([argument.code, argument.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: sion agent credential add takes no value from the command/),
    ]);
    expect(argument.stderr).not.toContain(SECRET);
    const refused = await bench.sionIn(
      { hidden: SECRET },
      ...["agent", "credential", "add", "my key"],
    );
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'error: "my key" is no name for a credential: use that of an environment variable, like ' +
      "OPENAI_API_KEY\n",
    ]);
  });

  it("add says when the environment goes before it, and when it is too short to cut out [A-588]", async () => {
    const { stderr } = await bench.sionIn(
      { stdin: "12345", env: { PIN: "1" } },
      ...["agent", "credential", "add", "PIN"],
    );
    expect(stderr).toBe(
      "PIN has fewer than 6 characters: it is not cut out of what tools print, any text may hold " +
        "it\nPIN is set in the environment too, which goes before what is kept\n",
    );
  });

  it("kept is cut out of the errors of commands that work with sessions", async () => {
    await add(SECRET, "OPENAI_API_KEY");
    const ran = async (...words: string[]) =>
      await bench.sion("agent", "run", "coder", "a1b2", "--task", "x", "--model", SECRET, ...words);
    const { stderr } = await ran("--verbose");
    expect(stderr).toMatch(/^error: \[secret OPENAI_API_KEY\] names no model/);
    const json = await ran("--json");
    expect(`${stderr}${json.stdout}${json.stderr}`).not.toContain(SECRET);
  });

  it("add refuses nothing, too much, and what is no text", async () => {
    for (
      const [stdin, why] of [["\n", "the value of KEY is empty: give one"], [
        "x".repeat(16_385),
        "",
      ]]
    ) {
      const { code, stderr } = await add(stdin as string, "KEY");
      expect([code, stderr]).toEqual([1, expect.stringContaining(why as string)]);
    }
    const bytes = await bench.sionIn(
      { stdin: Uint8Array.of(0xff, 0xfe) },
      ...["agent", "credential", "add", "KEY"],
    );
    expect(bytes.stderr).toMatch(/^error: standard input is no UTF-8 text: /);
    expect((await bench.sion("agent", "credential", "list")).stdout).toBe("");
  });

  it("list shows names only, remove takes one away [A-586]", async () => {
    const empty = await bench.sion("agent", "credential", "list");
    expect([empty.stdout, empty.stderr]).toEqual([
      "",
      "no credentials here yet: `sion agent credential add <name>` keeps one\n",
    ]);
    await add(SECRET, "OPENAI_API_KEY");
    await add("user", "MAIL_USER", "--setting");
    const { stdout } = await bench.sion("agent", "credential", "list");
    expect(stdout).toBe("MAIL_USER\nOPENAI_API_KEY\n");
    const json = await bench.sion("agent", "credential", "list", "--json");
    expect(json.json()).toEqual([
      { name: "MAIL_USER", secret: false },
      { name: "OPENAI_API_KEY", secret: true },
    ]);
    const removed = await bench.sion("agent", "credential", "remove", "OPENAI_API_KEY");
    expect(removed.stdout).toBe("removed OPENAI_API_KEY\n");
    const unknown = await bench.sion("agent", "credential", "remove", "MAIL_USR");
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      "error: there is no credential MAIL_USR here, did you mean MAIL_USER: " +
      "`sion agent credential list` shows yours\n",
    ]);
  });

  it("says what is wrong with its files", async () => {
    await add(SECRET, "KEY");
    const path = join(bench.home, "agents/credentials.bin");
    chmodSync(path, 0o644);
    const exposed = await bench.sion("agent", "credential", "list");
    expect(exposed.stderr).toMatch(/^error: others can read .*: run `chmod 600 .*`\n$/);
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path).subarray(1));
    const damaged = await bench.sion("agent", "credential", "list");
    expect([damaged.code, damaged.stderr]).toEqual([
      1,
      `error: ${path} cannot be opened, it is not what sion wrote: restore it, or remove it and ` +
      "add the credentials anew\n",
    ]);
  });
});

describe("errors of commands for agents", () => {
  const bench = useBench();

  it("show no key, of the environment or kept, also before a session is opened [A-587]", async () => {
    await bench.sionIn({ stdin: "kept-0123456789" }, "agent", "credential", "add", "OTHER_KEY");
    const host = { env: { OPENAI_API_KEY: SECRET } };
    const wrong: readonly (readonly string[])[] = [
      ["agent", "run", "coder", "coder", SECRET],
      ["agent", "talk", SECRET],
      ["agent", "talk", "lead", `--${SECRET}`],
      ["agent", "profile", "show", SECRET],
      ["agent", "trace", "kept-0123456789"],
      ["skill", "review", SECRET],
      ["agent", SECRET],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await bench.sionIn(host, ...words, "--json");
      expect(code, words.join(" ")).toBe(1);
      expect(stdout + stderr, words.join(" ")).not.toMatch(/0123456789/);
    }
  });
});
