/**
 * The operating system's keyring, reached by the program that the system has for it: `secret-tool`
 * (libsecret) or macOS's `security`. What is secret goes through pipes, never among arguments.
 */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { concatBytes, SionError, utf8Text } from "#internal/core/mod.ts";
import { startChild } from "./children.ts";
import type { ChildExit } from "./children.ts";
import type { Environment } from "./environment.ts";

/** `keyring-failed`: the keyring could not be asked: it is locked, or nobody runs it. */
export type KeyringErrorCode = "keyring-failed";

/** Secrets by account, kept by the operating system for the person who is logged in. */
export interface Keyring {
  /** What people call it. */
  readonly title: string;
  /** The secret of an account, or `undefined`. @throws {SionError} `keyring-failed` */
  get(account: string): Promise<string | undefined>;
  /** Keeps a secret of printable ASCII without spaces. @throws {SionError} `keyring-failed` */
  set(account: string, secret: string): Promise<void>;
}

/** What the secrets are listed under. */
const SERVICE = "sion";
const LABEL = "sion credentials";
/** A person may have to unlock it first, ms. */
const ANSWER_MS = 60_000;
/** What the programs say is a line or two. */
const MAX_OUTPUT_BYTES = 8_192;
/** What `security` ends with when it has no such entry. */
const NO_ITEM = 44;

/** The programs, and how each is asked. */
interface KeyringProgram {
  readonly title: string;
  readonly program: string;
  readonly platforms: readonly string[];
  readonly lookup: (account: string) => readonly string[];
  /** Whether the answer means that there is no such secret. */
  readonly missing: (answer: Answer) => boolean;
  readonly store: (account: string, secret: string) => Asked;
}

interface Asked {
  readonly args: readonly string[];
  readonly stdin: string;
}

interface Answer extends ChildExit {
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAMS: readonly KeyringProgram[] = [
  {
    title: "the keyring",
    program: "secret-tool",
    platforms: ["linux", "freebsd"],
    lookup: (account) => ["lookup", "service", SERVICE, "account", account],
    missing: ({ code, stderr }) => code === 1 && stderr.trim() === "",
    store: (account, secret) => ({
      args: ["store", `--label=${LABEL}`, "service", SERVICE, "account", account],
      stdin: secret,
    }),
  },
  {
    title: "the login keychain",
    program: "security",
    platforms: ["darwin"],
    lookup: (account) => ["find-generic-password", "-a", account, "-s", SERVICE, "-w"],
    missing: ({ code }) => code === NO_ITEM,
    // Its commands come through standard input, so that no other process sees the secret.
    store: (account, secret) => ({
      args: ["-i"],
      stdin: `add-generic-password -U -a ${account} -s ${SERVICE} -l "${LABEL}" -w ${secret}\n`,
    }),
  },
];

/**
 * This machine's keyring, or `undefined` when it has no program for one, or `SION_KEYRING` is `off`.
 * Whether it answers shows when it is asked.
 */
export async function systemKeyring(
  env: Environment,
  platform: string = process.platform,
): Promise<Keyring | undefined> {
  if (env["SION_KEYRING"] === "off") return undefined;
  for (const known of PROGRAMS.filter(({ platforms }) => platforms.includes(platform))) {
    const command = await findProgram(known.program, env);
    if (command !== undefined) return keyringOf(known, command, env);
  }
  return undefined;
}

async function findProgram(name: string, env: Environment): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // A folder that is not absolute is another one in each place: nothing is trusted to it.
    if (!folder.startsWith("/")) continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return undefined;
}

function keyringOf(known: KeyringProgram, command: string, env: Environment): Keyring {
  const ask = (asked: Asked): Promise<Answer> => run(command, asked, env, known.title);
  return {
    title: known.title,
    async get(account) {
      const answer = await ask({ args: known.lookup(account), stdin: "" });
      if (known.missing(answer)) return undefined;
      if (answer.code !== 0) throw failed(known, answer);
      return answer.stdout.trim();
    },
    async set(account, secret) {
      const answer = await ask(known.store(account, secret));
      if (answer.code !== 0) throw failed(known, answer);
    },
  };
}

async function run(
  command: string,
  { args, stdin }: Asked,
  env: Environment,
  title: string,
): Promise<Answer> {
  await using child = await startChild({ command, args, env });
  const timer = setTimeout(() => child.kill("SIGKILL"), ANSWER_MS);
  try {
    child.stdin.end(stdin);
    const [exit, stdout, stderr] = await Promise.all([
      child.exited,
      textOf(child.stdout),
      child.stderr === null ? "" : textOf(child.stderr),
    ]);
    if (exit.signal !== null) throw notAnswering(title, `it did not answer in ${ANSWER_MS} ms`);
    return { ...exit, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Uint8Array;
    if (size < MAX_OUTPUT_BYTES) chunks.push(bytes);
    size += bytes.length;
  }
  try {
    return utf8Text(concatBytes(...chunks));
  } catch {
    return "";
  }
}

function failed({ title, program }: KeyringProgram, { stderr, code }: Answer): Error {
  const said = stderr.trim().split("\n")[0] ?? "";
  return notAnswering(title, said === "" ? `${program} ended with ${code}` : said);
}

function notAnswering(title: string, why: string): SionError<KeyringErrorCode> {
  return new SionError(
    "keyring-failed",
    `${title} does not answer (${why}): unlock it, or log in where it runs`,
    { data: { why } },
  );
}
