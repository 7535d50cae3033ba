/**
 * Records the console blocks of a page: runs each line that begins with `$ ` and puts what it prints
 * below it. A page is one story: its commands run in order, in an empty home, against the devnet that
 * its own `sion devnet` starts. One that ends with ` &` runs on to the end of the page; its first line
 * is what it prints.
 *
 * An id that a page's earlier output showed is a new one in the next recording; later commands that
 * name it are rewritten. A block below `<!-- file: NAME -->` is that file's contents. What only sets
 * the scene stands in a comment: `<!-- console` or `<!-- file: NAME` on a line, `-->` at the end.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { type Devnet, environment, SION, startDevnet } from "../_sion.ts";
import { Background, Ports } from "./_nodes.ts";

const DEFAULT_NODE = "http://127.0.0.1:8400";
/** The command that starts it, with options. */
const DEVNET = /^sion devnet( --.*)?$/;
/** Longest one command may take. */
const COMMAND_LIMIT_MS = 60_000;

/** Either a command with its output, or text that stays as it is. */
type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly name: string; readonly text: string }
  | { readonly type: "command"; readonly command: string; readonly output: string };

/** Where a page plays. */
interface Stage extends AsyncDisposable {
  readonly work: string;
  readonly home: string;
  readonly environment: () => Record<string, string>;
  readonly ports: Ports;
  readonly background: Background;
  /** Starts the devnet; what its command printed. @param flags those that the page shows. */
  startDevnet(flags: readonly string[]): Promise<string>;
}

/**
 * The page with its outputs as they are now.
 * @param devnetFlags more options of its devnet, which the page does not show
 */
export async function recordPage(
  text: string,
  devnetFlags: readonly string[] = [],
): Promise<string> {
  await using stage = openStage(devnetFlags);
  const renamed = new Map<string, string>();
  let page = "";
  for (const piece of piecesOf(text)) {
    if (piece.type === "file") writeFileSync(join(stage.work, piece.name), piece.text);
    if (piece.type !== "command") {
      page += piece.text;
      continue;
    }
    const command = rename(piece.command, renamed);
    const devnet = DEVNET.exec(command);
    const output = devnet === null
      ? await run(stage, command)
      : await stage.startDevnet(devnet[1]?.trim().split(" ") ?? []);
    noteNames(piece.output, output, renamed);
    page += `$ ${command}\n${output}`;
  }
  return page;
}

/** What stays the same from one recording to the next: ids, Pulses, roots, rewards and users are blanked. */
export function withoutChance(page: string): string {
  return page
    .replaceAll(/\bsion_ch_[0-9a-f]{64}\b/g, "<token>")
    .replaceAll(/\bcli:[a-z_][\w-]*/g, "cli:<user>")
    .replaceAll(/\b[0-9a-f]{8}(?:[0-9a-f]{8})*\b/g, "<id>")
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, "<day>")
    .replaceAll(/\b\d[\d.]* USD (owed|collected)\b/g, "<n> USD $1")
    .replaceAll(/(Pulse |"pulse": ?|"pulse\\": ?)\d+/g, "$1<n>");
}

/** A line that begins a block, and the line that ends it. */
const FENCES: readonly { readonly begin: RegExp; readonly end: string }[] = [
  { begin: /^```(?<kind>\w*)$/, end: "```" },
  { begin: /^<!-- (?<kind>console)$/, end: "-->" },
  { begin: /^<!-- (?<kind>file): (?<name>[\w.-]+)$/, end: "-->" },
];
const NEXT_IS_FILE = /^<!-- file: ([\w.-]+) -->$/;

/** A page in its pieces; joined again they are the page. */
function piecesOf(page: string): Piece[] {
  const pieces: Piece[] = [];
  let block: { readonly kind: string; readonly end: string; readonly name?: string } | undefined;
  let named: string | undefined;
  for (const line of page.split(/(?<=\n)/)) {
    const bare = line.trimEnd();
    const last = pieces.at(-1);
    if (block === undefined) {
      block = blockBegunBy(bare, named);
      named = NEXT_IS_FILE.exec(bare)?.[1] ?? (bare === "" ? named : undefined);
      pieces.push({ type: "text", text: line });
    } else if (bare === block.end) {
      block = undefined;
      pieces.push({ type: "text", text: line });
    } else if (block.kind === "console" && bare.startsWith("$ ")) {
      pieces.push({ type: "command", command: bare.slice(2), output: "" });
    } else if (block.kind === "console" && last?.type === "command") {
      pieces[pieces.length - 1] = { ...last, output: last.output + line };
    } else if (block.name !== undefined && last?.type === "file") {
      pieces[pieces.length - 1] = { ...last, text: last.text + line };
    } else if (block.name !== undefined) {
      pieces.push({ type: "file", name: block.name, text: line });
    } else {
      pieces.push({ type: "text", text: line });
    }
  }
  return pieces;
}

function blockBegunBy(line: string, named: string | undefined) {
  for (const { begin, end } of FENCES) {
    const groups = begin.exec(line)?.groups;
    if (groups === undefined) continue;
    const name = groups["name"] ?? named;
    return { kind: groups["kind"] ?? "", end, ...(name === undefined ? {} : { name }) };
  }
  return undefined;
}

function openStage(devnetFlags: readonly string[]): Stage {
  const root = mkdtempSync(join(tmpdir(), "sion-docs-"));
  const [work, home, bin] = ["work", ".sion", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(work);
  mkdirSync(bin);
  symlinkSync(SION, join(bin, "sion"));
  let devnet: Devnet | undefined;
  const ports = new Ports();
  const background = new Background();
  const nodeOf = (): string | undefined => {
    const port = ports.of(8400);
    return devnet?.node ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`);
  };
  return {
    work,
    home,
    ports,
    background,
    environment() {
      const node = nodeOf();
      return {
        ...environment({ home, ...(node === undefined ? {} : { node }) }),
        HOME: root,
        PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      };
    },
    async startDevnet(flags) {
      devnet = await startDevnet({ home }, ...devnetFlags, ...flags);
      const { chainId, chain } = devnet;
      return `devnet ready on ${DEFAULT_NODE}: chain ${chainId}, identity ${chain}\n`;
    },
    async [Symbol.asyncDispose]() {
      await devnet?.stop();
      await background[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What a reader sees of a command: its answer, and its error line if it has one. */
async function run(stage: Stage, shownCommand: string): Promise<string> {
  const { work: cwd, ports } = stage;
  const command = await ports.used(shownCommand);
  if (command.endsWith(" &")) {
    const env = stage.environment();
    const line = await stage.background.start(command.slice(0, -2), { cwd, env });
    return shownOf(stage, line);
  }
  const child = spawn("sh", ["-c", command], {
    cwd,
    env: stage.environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), COMMAND_LIMIT_MS);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(timer);
  // Else a page would show what comes after as if the line had done something.
  const complaint = stderr.split("\n").find((line) => line.startsWith("sh: "));
  if (complaint !== undefined) throw new Error(`Cannot run ${shownCommand}: ${complaint}`);
  const errors = stderr.split(/(?<=\n)/).filter((line) => line.startsWith("error: ")).join("");
  return shownOf(stage, stdout + errors);
}

/** What was printed, with the page's names in the place of this stage's. */
function shownOf({ home, work, ports, environment: now }: Stage, text: string): string {
  const node = now()["SION_NODE"];
  const shown = ports.shown(text).replaceAll(home, "~/.sion").replaceAll(`${work}/`, "");
  return node === undefined ? shown : shown.replaceAll(node, DEFAULT_NODE);
}

const ID = /\b[0-9a-f]{8}(?:[0-9a-f]{8})*\b/g;

/** Pairs the ids of an earlier recording with those of this one, in their order. */
function noteNames(before: string, now: string, renamed: Map<string, string>): void {
  const [old, fresh] = [before.match(ID) ?? [], now.match(ID) ?? []];
  if (old.length !== fresh.length) return;
  old.forEach((id, index) => {
    const next = fresh[index];
    if (next === undefined) return;
    renamed.set(id, next);
    // An id in full is typed by its beginning too.
    renamed.set(id.slice(0, 8), next.slice(0, 8));
  });
}

function rename(command: string, renamed: ReadonlyMap<string, string>): string {
  return command.replaceAll(ID, (id) => renamed.get(id) ?? id);
}
