/** The command line's form: help, errors of use, versions. Goldens are made by scripts/record-docs. */
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VERSION } from "#internal/core/mod.ts";
import type { AnyCommand, Arguments, Flags } from "../../internal/cli/command.ts";
import { allFlags } from "../../internal/cli/command.ts";
import { commandEntries, commandPaths, loadCommands } from "../../internal/cli/commands/mod.ts";
import { EXIT_CODES } from "../../internal/cli/topics/exit_codes.ts";
import { groups } from "../../internal/cli/groups.ts";
import { commandHelp, fitLines, groupHelp, helpWidth, rootHelp } from "../../internal/cli/help.ts";
import { sections } from "../../internal/cli/sections.ts";
import { topics } from "../../internal/cli/topics/mod.ts";
import { useBench } from "./bench.ts";

const folder = new URL("../../internal/cli/commands/", import.meta.url);

const NARROW = "sion charter narrow needs at least one of --payee, --max-payment, --bucket, " +
  "--refill, --expires, --receipts: say what to narrow";

describe("sion", () => {
  const bench = useBench();

  it.each([[[]], [["help"]], [["help", "help"]], [["--help"]], [["-h"]]])(
    "%j prints the root's help in at most 40 lines of 80 columns",
    async (words) => {
      const { code, stdout, stderr } = await bench.sion(...words);
      expect([code, stderr]).toEqual([0, ""]);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(80);
      expect(bench.chain.calls).toEqual([]);
      expect(readdirSync(bench.home)).toEqual([]);
    },
  );

  it("--version prints one line and touches neither disk nor network", async () => {
    const { stdout } = await bench.sion("--version");
    expect(stdout).toMatch(new RegExp(`^sion ${VERSION} \\([a-z0-9]+-[a-z0-9]+, source\\)\\n$`));
    expect(readdirSync(bench.home)).toEqual([]);
  });

  it.each([["pay", "--help"], ["pay", "-h"], ["pay", "alice", "--help"], ["help", "pay"]])(
    "%s %s prints the command's help, wherever it stands",
    async (...words) => {
      const { code, stdout } = await bench.sion(...words);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Pay USD from a wallet of yours/);
      expect(stdout).toContain(
        "\nsion pay <wallet> <to> <amount>\nsion pay <wallet> --batch <file>\n",
      );
    },
  );

  it.each(Object.entries(groups))(
    "%s says what it is, then examples, then its commands in the order of use",
    async (group, { brief, examples, order }) => {
      const { code, stdout } = await bench.sion(group);
      expect(code).toBe(0);
      expect(stdout.replaceAll("\n", " ")).toMatch(new RegExp(`^${brief}`));
      for (const [line] of examples) expect(stdout).toContain(line);
      const below = commandPaths.filter((path) => path.startsWith(`${group} `))
        .map((path) => path.slice(group.length + 1).split(" ")[0]);
      expect([...order].sort()).toEqual([...new Set(below)].sort());
      const places = order.map((word) => stdout.indexOf(`\n  sion ${group} ${word} <`));
      const listed = places.filter((place) => place >= 0);
      expect(listed).toEqual(listed.toSorted((a, b) => a - b));
    },
  );

  it.each(topics.map(({ name }) => name))(
    "help %s is a topic of at most 80 columns",
    async (name) => {
      const { code, stdout } = await bench.sion("help", name);
      expect(code).toBe(0);
      for (const line of stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(80);
    },
  );

  it.each([
    [["pya"], "there is no command pya: did you mean `sion pay`"],
    [["pay2me"], "there is no command pay2me: `sion help` lists those there are"],
    [["p"], "there is no command p: `sion help` lists those there are"],
    [["wallet", "nwe"], "there is no command wallet nwe: did you mean `sion wallet new`"],
    [
      ["wallet", "zzzzzz"],
      "there is no command wallet zzzzzz: `sion wallet --help` lists those there are",
    ],
    [["a b"], 'there is no command "a b": `sion help` lists those there are'],
    [["wallet", ""], 'there is no command wallet "": `sion wallet --help` lists those there are'],
    [["-v"], "sion has no option -v: did you mean --version"],
    [["charter", "narrow", "alice", "e273"], NARROW],
    [["status", "--node", "foo"], "--node foo is no address: write it like http://127.0.0.1:8400"],
    [["status", "--node", ""], '--node "" is no address: write it like http://127.0.0.1:8400'],
    [["--jsno"], "sion has no option --jsno: options stand after the command, see `sion help`"],
    [["pay", "--jsno"], "sion pay has no option --jsno: did you mean --json"],
    [["pay", "--zzzzzz"], "sion pay has no option --zzzzzz: see `sion pay --help`"],
    [["pay", "-j"], "sion pay has no option -j: see `sion pay --help`"],
    [["pay", "alice", "bob"], "sion pay needs <amount>: for example `sion pay alice bob 1.5`"],
    [["pay"], "sion pay needs <wallet>: for example `sion pay alice bob 1.5`"],
    [["pay", "a", "b", "1", "2"], "sion pay takes no 2: for example `sion pay alice bob 1.5`"],
    [["events", "--limit"], "--limit needs N: see `sion events --help`"],
    [["events", "--limit", "--follow"], "--limit needs N: see `sion events --help`"],
    [["events", "--limit", "0"], "--limit 0 is not a number from 1 to 100000: give one"],
    [["events", "--from=x"], "--from x is not a number of at least 0: give one"],
    [["events", "--follow=yes"], "--follow takes no value: write it without =yes"],
    [["events", "--from", "1", "--from", "2"], "--from is given twice: give it once"],
    [["completion", "fihs"], "<shell> fihs is none of bash, zsh, fish: did you mean fish"],
    [
      ["stake", "leave", "alice", "bob"],
      "<validator> bob is no id: give its 64 hex digits, or the first few",
    ],
    [
      ["stake", "undelegate", "alice", "Bob"],
      "<delegation> Bob is no id: give its 64 hex digits, or the first few",
    ],
    [["claim", "show", ""], '<claim> "" is no id: give its 64 hex digits, or the first few'],
    [["receipt", "21e98fa5"], "<digest> 21e98fa5 is no transaction digest: give its 64 hex digits"],
    [
      ["pay", "a", "b", "1", "--valid-for", "10x"],
      "--valid-for 10x is no time: give Pulses like 600, or 10m, 12h, 30d",
    ],
    [
      ["task", "post", "a", "--amount", "1", "--deadline", "1000000001"],
      "--deadline 1000000001 is more than 1000000000 Pulses: give a shorter time",
    ],
    [
      [..."storage post a f --price 1 --rounds 1 --accept-within 99999d".split(" ")],
      "--accept-within 99999d is more than 1000000000 Pulses: give a shorter time",
    ],
    [
      [..."storage post a f --price 1 --rounds 1 --accept-within 999999999999".split(" ")],
      "--accept-within 999999999999 is more than 1000000000 Pulses: give a shorter time",
    ],
    ...["7", "12", "0", "100008"].map((length): [string[], string] => [
      [..."storage post a f --price 1 --rounds 1 --round-length".split(" "), length],
      `--round-length ${length} is not a multiple of 8 from 8 to 100000: give one`,
    ]),
    [
      ["agent", "spawn", "a", "b", "--agent", `${"n".repeat(65)}=1`],
      `--agent ${"n".repeat(65)}=1 has a name of 65 characters: give at most 64`,
    ],
    [
      ["mcp", "install", "cursor", "--name", "n".repeat(65)],
      `--name ${"n".repeat(65)} is no name for a server: use at most 64 letters, digits, - and _`,
    ],
    [
      ["agent", "create", "a", "b", "--refill", "10"],
      "--refill 10 is no refill: write it like 10/day or 0.5/12h",
    ],
    [["help", "xyzzy"], "there is no command xyzzy: `sion help` lists those there are"],
    [["status", "--chain", "abc"], "--chain abc is no chain identity: give its 64 hex digits"],
    [["agent", "run", "coder", "ab"], "sion agent run needs --task: say what to do"],
    [
      ["genesis", "new", "g.json", "--validator", "v0/validator.json=abc"],
      "abc is no amount: write USD like 1.5",
    ],
    [["node"], "sion node needs --genesis: `sion genesis new` makes one"],
    [
      ["genesis", "new", "net", "--validators", "4", "--faucet"],
      "a test network is a devnet, with its wallets and faucet: leave out --chain-id, --stake, " +
      "--fund and --faucet, or make a genesis with --validator",
    ],
  ])("%j is one line on stderr, exit 1, and nothing is asked", async (words, sentence) => {
    const { code, stdout, stderr } = await bench.sion(...words);
    expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}\n`]);
    expect(bench.chain.calls).toEqual([]);
  });

  it.each([
    ["0", "0 is nothing: give an amount above 0"],
    ["-1", "-1 is negative: give an amount above 0"],
    ["1e-7", "1e-7 has an exponent: write it out like 0.25"],
    ["1e30", "1e30 has an exponent: write it out like 0.25"],
    ["0.1234567", "0.1234567 has seven decimals, USD has six: write it like 0.123457"],
    ["NaN", "NaN is not a number: write USD like 1.5"],
    ["Infinity", "Infinity is not a number: write USD like 1.5"],
    [" 1", '" 1" has space around it: write USD like 1.5'],
    ["01", "01 has a zero before it: write it like 1"],
    ["1,5", "1,5 has a comma: write decimals with a point, like 1.5"],
    ["", '"" is no amount: write USD like 1.5'],
    [
      "999999999999999999999",
      "999999999999999999999 is more than the ledger can hold: give a smaller amount",
    ],
  ])("pay refuses the amount %j before anything is asked [L-064]", async (amount, sentence) => {
    const { code, stdout, stderr } = await bench.sion("pay", "alice", "bob", amount);
    expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}\n`]);
    expect(bench.chain.calls).toEqual([]);
  });

  it("an error with --json is an object on stdout too", async () => {
    const ran = await bench.sion("pay", "alice", "bob", "0", "--json");
    expect(ran.json()).toEqual({ code: "amount", error: "0 is nothing: give an amount above 0" });
    expect(ran.stderr).toBe("error: 0 is nothing: give an amount above 0\n");
    expect(ran.code).toBe(1);
  });

  it("a fault inside is one line that names the file with its stack", async () => {
    bench.chain.before = () => {
      throw new TypeError("boom");
    };
    const { code, stderr } = await bench.sion("status");
    expect(code).toBe(1);
    const file = /^error: sion failed inside, your data is kept: report it with (\S+)\n$/
      .exec(stderr)?.[1];
    expect(existsSync(file as string)).toBe(true);
  });

  it("what lies below an error shows with --verbose only", async () => {
    const words = ["submit", "zz"];
    expect((await bench.sion(...words)).stderr.split("\n")).toHaveLength(2);
    expect((await bench.sion(...words, "--verbose")).stderr).toContain("\n  because: ");
  });
});

describe("commands", () => {
  it("each has a file of its name, an entry in order, and a place in the root's help", async () => {
    const files = readdirSync(folder)
      .filter((file) => file.endsWith(".ts") && !file.startsWith("_") && file !== "mod.ts")
      .map((file) => file.replace(/\.ts$/, "").replaceAll("_", " "));
    expect(commandPaths).toEqual([...commandPaths].sort());
    expect(files.sort()).toEqual([...commandPaths].sort());
    const shown = new Set(
      sections.flatMap(({ entries }) => entries.map(([line]) => line.split(" ")[0])),
    );
    for (const path of commandPaths) expect(shown).toContain(path.split(" ")[0]);
    for (const { path, load } of commandEntries) expect((await load()).command.path).toBe(path);
  });

  it("each documents its arguments and options, with examples that begin as it is called", async () => {
    for (const command of await loadCommands()) {
      expect(command.brief, command.path).toMatch(/^[A-Z].*\.$/);
      expect(command.examples.length, command.path).toBeGreaterThan(0);
      for (const [line] of command.examples) expect(line).toContain(`sion ${command.path}`);
      const described = [
        ...Object.values(command.args as Arguments),
        ...Object.values(allFlags(command) as Flags),
      ];
      for (const { about } of described) expect(about, command.path).toMatch(/\S/);
      for (const exit of command.exits ?? []) {
        expect(EXIT_CODES.some(([code]) => code.split(", ").includes(String(exit)))).toBe(true);
      }
    }
  });

  it("each one's help fits 80 columns and ends with where to read more", async () => {
    for (const command of await loadCommands() as AnyCommand[]) {
      const lines = commandHelp(command).split("\n");
      for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(80);
      expect(lines.at(-1)).toMatch(/^More: sion help output, docs\/reference\/cli\.md#/);
    }
  });
});

describe("help", () => {
  it.each([40, 57, 80])("fits %d columns and breaks lines at words", async (width) => {
    const all = await loadCommands();
    const texts = [
      rootHelp(sections, topics.map(({ name }) => name), width),
      ...topics.map((topic) => fitLines(topic.text(), width)),
      ...all.map((command) => commandHelp(command, width)),
      ...Object.entries(groups).map(([name, group]) =>
        groupHelp(name, group, all.filter(({ path }) => path.startsWith(`${name} `)), width)
      ),
    ];
    for (const line of texts.join("\n").split("\n")) {
      // One word alone, as an id, goes where it must.
      if (line.trim().includes(" ")) expect(widthOf(line), line).toBeLessThanOrEqual(width);
    }
    const words = (text: string): string => text.split(/\s+/).filter(Boolean).join(" ");
    for (const command of all) {
      expect(words(commandHelp(command, width))).toBe(words(commandHelp(command)));
    }
  });

  it("takes a terminal's width between 40 and 80, and a page's elsewhere", () => {
    const widths = [20, 57, 200].map((columns) => helpWidth({ isTty: true, columns }));
    expect(widths).toEqual([40, 57, 80]);
    expect(helpWidth({ isTty: false, columns: 20 })).toBe(80);
  });
});

/** Columns of a line: no character of help is wide or joined. */
function widthOf(line: string): number {
  return Array.from(line).length;
}
