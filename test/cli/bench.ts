/** Runs command lines in this process, against a fake chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ClientOptions } from "#internal/client/mod.ts";
import { readLines } from "../../internal/cli/standard_input.ts";
import { runCli } from "../../internal/cli/run_cli.ts";
import type { CliProcess } from "../../internal/cli/run_cli.ts";
import { FakeChain } from "../client/fake_chain.ts";

/** What a command line came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json(): unknown;
}

/** What each test gets anew. */
export interface Bench {
  home: string;
  chain: FakeChain;
  /** Runs `sion …`. */
  sion(...words: string[]): Promise<Ran>;
  /** Runs `sion …` with more said about its process. */
  sionIn(host: Partial<HostOptions>, ...words: string[]): Promise<Ran>;
}

/** What can be said about the process. */
export interface HostOptions {
  /** What comes in; a function gives it piece by piece. */
  readonly stdin: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  readonly tty: boolean;
  /** What is typed where nothing is shown. @default nobody sits there */
  readonly hidden: string;
  readonly env: Record<string, string>;
  readonly client: Partial<ClientOptions>;
  /** The code with which every write to standard output fails. */
  readonly broken: string;
  /** Told of what is written to standard output, as it is. */
  readonly onStdout: (text: string) => void;
}

function bytesOf(stdin: string | Uint8Array): Uint8Array {
  return typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
}

async function* piecesOf(stdin: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytesOf(stdin));
}

/** Makes the bench before each test and clears it away after. */
export function useBench(): Bench {
  const bench = {
    sion: (...words) => bench.sionIn({}, ...words),
    async sionIn(
      { stdin = "", tty = false, hidden, env = {}, client = {}, broken, onStdout },
      ...words
    ) {
      const written = { stdout: "", stderr: "" };
      const broke = new AbortController();
      const failing = { broken: broke.signal, write: () => broke.abort(broken) };
      const sink = (stream: "stdout" | "stderr") => ({
        isTty: tty,
        columns: 80,
        colour: tty,
        write: (text: string) => {
          written[stream] += text;
          if (stream === "stdout") onStdout?.(text);
        },
      });
      const host: CliProcess = {
        program: { url: "file:///sion/main.ts", origin: "source" },
        env: { SION_HOME: bench.home, ...env },
        cwd: bench.home,
        stdout: { ...sink("stdout"), ...(broken === undefined ? {} : failing) },
        stderr: sink("stderr"),
        readStdin: () =>
          Promise.resolve(typeof stdin === "function" ? bytesOf("") : bytesOf(stdin)),
        readLines: (mostBytes, signal) =>
          readLines(
            typeof stdin === "function" ? stdin() : piecesOf(stdin),
            mostBytes,
            signal,
          ),
        inputIsTty: tty,
        ...(hidden === undefined ? {} : {
          readHidden: (prompt: string) => {
            written.stderr += prompt;
            return Promise.resolve(hidden);
          },
        }),
        client: { transport: bench.chain.transport, ...client },
        exit: () => {},
      };
      const code = await runCli(words, host);
      return { code, ...written, json: () => JSON.parse(written.stdout) };
    },
  } as Bench;
  beforeEach(async () => {
    bench.home = mkdtempSync(join(tmpdir(), "sion-cli-"));
    bench.chain = await FakeChain.start();
  });
  afterEach(() => rmSync(bench.home, { recursive: true, force: true }));
  return bench;
}
