/** Broken command lines: every command's examples with words lost, doubled, added and garbled. */
import { describe, expect, it } from "vitest";
import type { AnyCommand } from "../../internal/cli/command.ts";
import { allFlags, flagName } from "../../internal/cli/command.ts";
import { loadCommands } from "../../internal/cli/commands/mod.ts";
import { ERRORS } from "../../internal/cli/error_codes.ts";
import { EXIT } from "../../internal/cli/errors.ts";
import { Random } from "../sim/random.ts";
import { useBench } from "./bench.ts";

/** Broken lines of each command; raise it to look for more. */
const LINES_EACH = Number(process.env["SION_GARBAGE_LINES"] ?? 12);
const WORDS = [
  ...[
    "",
    " ",
    "-",
    "--",
    "---",
    "-1",
    "0",
    "1e9",
    "NaN",
    "0x10",
    "1.0000001",
    "1,5",
    "10x",
    "=",
    "@x",
  ],
  ...[
    "9".repeat(40),
    "a".repeat(300),
    "ä\u0001b",
    "x\ny",
    "\u001b[31mred",
    "\u202eabc",
    "%00",
    "{}",
  ],
  ...["../../etc/passwd", "/", "/dev/null", ".", "f".repeat(64), "F".repeat(64), "f".repeat(63)],
  ...["f".repeat(65), "null", "bob:judge", "--json=1", "--node", "--bogus", "$(id)", "10m", "true"],
];
/** They listen, talk or reach out when a line happens to be right. */
const LEFT_OUT = ["agent talk", "fetch", "mcp", "mcp install"];
const commands = (await loadCommands()).filter(({ path, endless = false }) =>
  !endless && !LEFT_OUT.includes(path)
);

/** The arguments of an example of the command, a few of them broken. */
function brokenArguments(command: AnyCommand, random: Random): string[] {
  const { path, examples } = command;
  const [example = `sion ${path}`] = examples.length === 0 ? [] : random.pick(examples);
  const whole = [...(example.split(/ [|>] /)[0] ?? "").matchAll(/"([^"]*)"|(\S+)/g)];
  const words = whole.map(([, quoted, bare]) => quoted ?? bare ?? "")
    .slice(1 + path.split(" ").length);
  // A home of its own would be made where the tests are run.
  const options = Object.keys(allFlags(command)).map(flagName).filter((name) => name !== "--home");
  const place = (): number => random.int(0, Math.max(0, words.length - 1));
  const ways = [
    () => words.splice(place(), 0, random.pick(WORDS)),
    () => words.splice(place(), 1),
    () => words.splice(place(), 1, random.pick(WORDS)),
    () => words.push(random.pick(options), random.pick(WORDS)),
    () => words.push(...words.slice(place()).slice(0, 1)),
  ];
  for (let times = random.int(1, 3); times > 0; times--) random.pick(ways)();
  return words;
}

describe("a broken command line", () => {
  const bench = useBench();

  it.each(commands.map((command) => [command.path, command] as const))(
    "of sion %s ends with a known code, and an error is one line and sends nothing [L-050]",
    async (path, command) => {
      const random = new Random(1, path);
      for (let at = 0; at < LINES_EACH; at++) {
        const given = [...path.split(" "), ...brokenArguments(command, random)];
        const sent = bench.chain.units.size;
        const { code, stdout, stderr } = await bench.sion(...given);
        const seen = JSON.stringify({ given, code, stdout, stderr });
        expect(Object.values(EXIT), seen).toContain(code);
        expect(stderr, seen).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
        expect(stderr, seen).not.toContain("failed inside");
        if (code !== EXIT.error) continue;
        expect(stderr.trimEnd().split("\n").filter((line) => line.startsWith("error: ")), seen)
          .toEqual([stderr.trimEnd().split("\n").at(-1)]);
        expect(bench.chain.units.size, seen).toBe(sent);
        if (stdout === "") continue;
        const told = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as { code: string };
        expect(Object.keys(told), seen).toEqual(["code", "error"]);
        expect(Object.keys(ERRORS), seen).toContain(told.code);
      }
    },
  );
});
