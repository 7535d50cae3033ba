/** The entry that `sion mcp install` puts into the files of AI clients. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { aiClients } from "../../internal/cli/ai_clients/mod.ts";
import { withEntry } from "../../internal/cli/ai_clients/edit.ts";
import type { AiClient } from "../../internal/cli/ai_clients/ai_client.ts";
import { useBench } from "./bench.ts";

/** Where each client documents its file, below a user's home. */
const FILES: { readonly [client: string]: readonly [linux: string, darwin: string] } = {
  "claude-code": [".claude.json", ".claude.json"],
  "claude-desktop": [
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
  ],
  "codex": [".codex/config.toml", ".codex/config.toml"],
  "cursor": [".cursor/mcp.json", ".cursor/mcp.json"],
  "gemini": [".gemini/settings.json", ".gemini/settings.json"],
  "vscode": [
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
  ],
  "zed": [".config/zed/settings.json", ".config/zed/settings.json"],
};
/** The table that holds the servers, as each client documents it. */
const TABLES: { readonly [client: string]: string } = {
  "claude-code": "mcpServers",
  "claude-desktop": "mcpServers",
  "codex": "mcp_servers",
  "cursor": "mcpServers",
  "gemini": "mcpServers",
  "vscode": "servers",
  "zed": "context_servers",
};
const names = aiClients.map(({ name }) => name);
const clientOf = (name: string): AiClient => aiClients.find((one) => one.name === name) as AiClient;
const systemIndex = process.platform === "darwin" ? 1 : 0;

interface Entry {
  readonly type?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: { readonly SION_HOME: string };
}

describe("sion mcp install", () => {
  const bench = useBench();
  const fileOf = (name: string): string => join(bench.home, (FILES[name] ?? [])[systemIndex] ?? "");
  const install = (...words: string[]) =>
    bench.sionIn({ env: { HOME: bench.home } }, "mcp", "install", ...words);
  const read = (name: string): Record<string, Record<string, Entry>> => {
    const text = readFileSync(fileOf(name), "utf8");
    return (clientOf(name).format === "toml" ? parseToml(text) : parse(text)) as ReturnType<
      typeof read
    >;
  };
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(fileOf(name)), { recursive: true });
    writeFileSync(fileOf(name), text);
  };

  it("knows the clients that the table of this test documents", () => {
    expect(names).toEqual(Object.keys(FILES).toSorted());
  });

  it.each(names)(
    "%s gets an entry in its own file, with this program and its home",
    async (name) => {
      const { code, stdout, stderr } = await install(name);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `${clientOf(name).title} ${clientOf(name).after}\n`,
      });
      expect(stdout).toMatch(/, from line 1:\n(\+ .*\n)+$/);
      const entry = read(name)[TABLES[name] ?? ""]?.["sion"];
      expect(entry?.command).toMatch(/^\//);
      expect(entry?.args.at(-1)).toBe("mcp");
      expect(entry?.env).toEqual({ SION_HOME: bench.home });
      expect(entry?.type).toBe(["claude-code", "vscode"].includes(name) ? "stdio" : undefined);
      expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600);
    },
  );

  it.each(names)("%s keeps its entry when it is installed again", async (name) => {
    await install(name);
    const before = readFileSync(fileOf(name));
    const { code, stdout } = await install(name);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(`^${clientOf(name).title} has this server already: `),
    ]);
    expect(readFileSync(fileOf(name))).toEqual(before);
  });

  it.each(names)("%s gets nothing with --dry-run, and is shown the same lines", async (name) => {
    const dry = await install(name, "--dry-run");
    expect([dry.code, dry.stderr]).toEqual([
      0,
      "nothing was written: give the command without --dry-run\n",
    ]);
    expect(existsSync(fileOf(name))).toBe(false);
    expect((await install(name)).stdout).toBe(dry.stdout);
  });

  it.each(names)("%s on macOS and on Linux has its documented file", (name) => {
    const at = (system: string) => clientOf(name).file({ env: { HOME: "/home/me" }, system });
    const [linux, darwin] = FILES[name] ?? [];
    expect([at("linux"), at("darwin")]).toEqual([`/home/me/${linux}`, `/home/me/${darwin}`]);
  });

  it("keeps comments, other servers, indentation and trailing commas", async () => {
    const kept = '{\n\t// mine\n\t"theme": "One Dark",\n\t"context_servers": {\n' +
      '\t\t"other": { "command": "o" }, // another\n\t},\n}\n';
    put("zed", kept);
    expect((await install("zed")).code).toBe(0);
    const after = readFileSync(fileOf("zed"), "utf8");
    const lines = new Set(after.split("\n"));
    expect(kept.split("\n").filter((line) => !lines.has(line) && !/"other"/.test(line))).toEqual(
      [],
    );
    expect(after).toContain('"other": { "command": "o" }');
    expect(after).toContain("// another");
    expect(after).toMatch(/^\t\t"sion": \{$/m);
  });

  it("keeps TOML's comments, and puts a changed entry where the old one was", async () => {
    const [head, foot] = [
      'model = "o5" # mine\n\n',
      '\n# the next one\n[mcp_servers.other]\ncommand = "o"\n',
    ];
    const old = '[mcp_servers.sion]\ncommand = "old"\n\n[mcp_servers.sion.env]\nA = "b"\n';
    put("codex", head + old + foot);
    const refused = await install("codex");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      "error: another server of Codex's is named sion in ~/.codex/config.toml: give --replace to put this one in its place, or --name another\n",
    ]);
    expect(readFileSync(fileOf("codex"), "utf8")).toBe(head + old + foot);
    expect((await install("codex", "--replace")).code).toBe(0);
    const after = readFileSync(fileOf("codex"), "utf8");
    expect(after.startsWith(head)).toBe(true);
    expect(after.endsWith(foot)).toBe(true);
    expect(after).not.toContain("old");
    expect(read("codex")["mcp_servers"]?.["sion"]?.env).toEqual({ SION_HOME: bench.home });
  });

  it("says what to add where TOML's servers stand in one line", async () => {
    const text = 'mcp_servers = { other = { command = "o" } }\n';
    put("codex", text);
    const { code, stderr } = await install("codex");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("add mcp_servers.sion by hand, with {"),
    ]);
    expect(readFileSync(fileOf("codex"), "utf8")).toBe(text);
  });

  it("names the node and the chain that it was given", async () => {
    const chain = "ab".repeat(32);
    const { code } = await install("cursor", "--node", "http://127.0.0.1:9", "--chain", chain);
    expect(code).toBe(0);
    expect(read("cursor")["mcpServers"]?.["sion"]?.args.slice(-5)).toEqual(
      ["mcp", "--node", "http://127.0.0.1:9", "--chain", chain],
    );
  });

  it.each([
    [["--node", "localhost"], {}, "localhost is no address: write it like http://127.0.0.1:8400"],
    [["--chain", "6345655c"], {}, "--chain 6345655c is no chain identity: give its 64 hex digits"],
    [[], { SION_NODE: "https://a.example" }, "SION_NODE https://a.example is an https address"],
  ])("refuses %j and %j as other commands do, and writes nothing", async (words, env, says) => {
    const { code, stderr } = await bench.sionIn(
      { env: { HOME: bench.home, ...env } },
      ...["mcp", "install", "cursor", ...words],
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(existsSync(fileOf("cursor"))).toBe(false);
  });

  it("lists the clients in its help, and suggests the one that a longer name means", async () => {
    const { stdout } = await install("--help");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(`one of ${names.join(", ")}`);
    const { code, stderr } = await install("gemini-cli");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/: did you mean gemini\n$/)]);
    expect((await install("claude")).stderr).toMatch(/: give one of them\n$/);
    expect(existsSync(fileOf("gemini"))).toBe(false);
  });

  it.each([
    ['{\n  "mcpServers": {\n', "is no JSON (line 3): mend it first"],
    ["[]", "holds no object: mend it first"],
    ['{"mcpServers": []}', "is no table of servers as Cursor has it: mend it first"],
  ])("refuses %j in one line, and leaves it", async (text, says) => {
    put("cursor", text);
    const { code, stderr } = await install("cursor");
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(readFileSync(fileOf("cursor"), "utf8")).toBe(text);
  });

  it.each(["codex", "cursor"])(
    "refuses a file of %s that is no UTF-8 text, and leaves it",
    async (name) => {
      put(name, "");
      writeFileSync(fileOf(name), Uint8Array.of(0xff, 0xfe));
      const { code, stderr } = await install(name);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^error: \S+ is no UTF-8 text: mend it first\n$/),
      ]);
      expect([...readFileSync(fileOf(name))]).toEqual([0xff, 0xfe]);
    },
  );

  it.each(["codex", "cursor"])("keeps the byte order mark of %s's file", async (name) => {
    put(name, name === "codex" ? "\ufeffa = 1\n" : '\ufeff{"a": 1}\n');
    expect((await install(name)).code).toBe(0);
    const text = readFileSync(fileOf(name), "utf8");
    expect([text.lastIndexOf("\ufeff"), text]).toEqual([0, expect.stringContaining("sion")]);
    expect((await install(name)).stdout).toContain("has this server already");
  });

  it("loses no entry of several that are added at once", async () => {
    const several = ["p1", "p2", "p3", "p4", "p5"];
    const ran = await Promise.all(several.map((name) => install("cursor", "--name", name)));
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(
      several.map(() => [0, `${clientOf("cursor").title} ${clientOf("cursor").after}\n`]),
    );
    expect(Object.keys(read("cursor")["mcpServers"] ?? {}).toSorted()).toEqual(several);
  });

  it("writes nothing over what another program wrote meanwhile", async () => {
    put("cursor", "{}");
    const theirs = '{"theirs": 1}';
    const { code, stderr } = await bench.sionIn(
      { env: { HOME: bench.home }, onStdout: () => put("cursor", theirs) },
      ...["mcp", "install", "cursor"],
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/was changed just now by another program: .*; nothing was written\n$/),
    ]);
    expect(readFileSync(fileOf("cursor"), "utf8")).toBe(theirs);
  });

  it("writes through a link, with the file's own rights", async () => {
    const real = join(bench.home, "dotfiles.json");
    writeFileSync(real, "{}\n");
    chmodSync(real, 0o644);
    mkdirSync(dirname(fileOf("cursor")));
    symlinkSync(real, fileOf("cursor"));
    expect((await install("cursor")).code).toBe(0);
    expect(lstatSync(fileOf("cursor")).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain('"sion"');
    expect(statSync(real).mode & 0o777).toBe(0o644);
  });

  it("writes where a link leads although nothing is there yet, and leaves the links", async () => {
    const [dotfiles, real] = [join(bench.home, "dotfiles"), join(bench.home, "dotfiles/mcp.json")];
    mkdirSync(dotfiles);
    mkdirSync(dirname(fileOf("cursor")));
    symlinkSync("second.json", fileOf("cursor"));
    symlinkSync("../dotfiles/mcp.json", join(dirname(fileOf("cursor")), "second.json"));
    expect((await install("cursor")).code).toBe(0);
    expect(lstatSync(fileOf("cursor")).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain('"sion"');
  });

  it("tells of the client's file, and of no other, why it cannot be written", async () => {
    symlinkSync(".claude.json", fileOf("claude-code"));
    writeFileSync(dirname(fileOf("cursor")), "no folder");
    for (const [name, why] of [["claude-code", "ELOOP"], ["cursor", "(ENOTDIR|EEXIST)"]] as const) {
      const { code, stderr } = await install(name);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          `^error: ~/\\S+\\.json cannot be written \\(${why}\\): .*; nothing was written\n$`,
        ),
      ]);
    }
  });

  it("refuses a file that was made read-only, and leaves it", async () => {
    put("cursor", "{}\n");
    chmodSync(fileOf("cursor"), 0o444);
    const { code, stderr } = await install("cursor");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: ~\/\.cursor\/mcp\.json is read-only: .*; nothing was written\n$/,
      ),
    ]);
    expect(readFileSync(fileOf("cursor"), "utf8")).toBe("{}\n");
    expect(statSync(fileOf("cursor")).mode & 0o777).toBe(0o444);
  });

  it.each([
    ["at its end", "a = 1 # mine\r\n\r\n[b]\r\nc = 9007199254740993\r\n"],
    ["in its last line too, which does not end", "a = 1 # mine\r\n[b]\r\nc = 2"],
    [
      "between others",
      '[mcp_servers.sion]\r\ncommand = "old"\r\n\r\n# next\r\n[mcp_servers.o]\r\ncommand = "o"\r\n',
    ],
  ])("keeps the ends of TOML's lines as they are, %s", async (_where, text) => {
    put("codex", text);
    expect((await install("codex", "--replace")).code).toBe(0);
    const after = readFileSync(fileOf("codex"), "utf8");
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(after).toContain(text.slice(text.indexOf("# next")).trimEnd());
    expect((await install("codex")).stdout).toContain("has this server already");
  });

  it("prints the change as JSON", async () => {
    const dry = await install("gemini", "--json", "--dry-run");
    expect(dry.json()).toMatchObject({
      client: "gemini",
      file: fileOf("gemini"),
      changed: true,
      written: false,
      change: expect.arrayContaining(['+   "mcpServers": {']),
    });
  });

  it("suggests the client that was meant", async () => {
    const { code, stderr } = await install("cursr");
    expect([code, stderr]).toEqual([1, expect.stringContaining("did you mean cursor")]);
  });

  it("leaves all but the entry as it was, whatever the file holds", () => {
    const entry = { command: "/bin/sion", args: ["mcp"], env: {} };
    for (const client of aiClients.filter(({ format }) => format === "json")) {
      for (
        const text of ["", "{}", '{"a":1}', '{\r\n  "a": 1\r\n}\r\n', `{"${client.servers[0]}":{}}`]
      ) {
        const after = withEntry(text, { client, name: "sion", entry, replace: false, shown: "f" });
        const before = (text === "" ? {} : parse(text)) as Record<string, object>;
        const key = client.servers[0] as string;
        const expected = { ...client.more, command: "/bin/sion", args: ["mcp"] };
        expect(parse(after)).toEqual({ ...before, [key]: { ...before[key], sion: expected } });
        if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      }
    }
  });
});
