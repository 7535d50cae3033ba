/** The text of a PDF document, by poppler's pdftotext in a sandbox that reaches nothing. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { concatBytes } from "#internal/core/mod.ts";
import { openSandbox } from "#internal/sandbox/mod.ts";
import type { Sandbox, SandboxMachine, SandboxSettings } from "#internal/sandbox/mod.ts";
import { AgentError } from "../errors.ts";

/** Time of one document, ms. */
const TIME_MS = 30_000;
const MEMORY_BYTES = 1 << 30;
/** Text that is taken, bytes. */
const MAX_TEXT_BYTES = 8_000_000;
/** Pages that are converted. */
const MAX_PAGES = 1_000;
const NAME = "document.pdf";
const SETTINGS: SandboxSettings = {
  sandbox: "bwrap",
  network: "none",
  read: [],
  timeMs: TIME_MS,
  memoryBytes: MEMORY_BYTES,
};

/** Converts documents. @throws {AgentError} `no-text` with what is missing; the signal's reason */
export type PdfText = (bytes: Uint8Array, signal: AbortSignal) => Promise<string>;

/** Each document has a sandbox of its own, around a folder with nothing else in it. */
export function createPdfText(machine: SandboxMachine): PdfText {
  return async (bytes, signal) => {
    const folder = await mkdtemp(join(tmpdir(), "sion-pdf-"));
    try {
      await writeFile(join(folder, NAME), bytes, { mode: 0o644 });
      await using sandbox = await openSandbox(SETTINGS, folder, machine).catch((cause: unknown) => {
        throw noText("it is converted in bubblewrap, which is missing here", cause);
      });
      return await converted(sandbox, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function converted(sandbox: Sandbox, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  // By the shell, which says 127 of a program that is not there.
  const command = `exec pdftotext -q -enc UTF-8 -eol unix -l ${MAX_PAGES} ${NAME} -`;
  const running = await sandbox.start({ argv: ["/bin/sh", "-c", command] });
  const stop = (): void => running.kill();
  const timer = setTimeout(stop, TIME_MS);
  signal.addEventListener("abort", stop, { once: true });
  try {
    running.stderr.resume();
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of running.stdout as AsyncIterable<Uint8Array>) {
      size += part.length;
      parts.push(part);
      if (size <= MAX_TEXT_BYTES) continue;
      running.kill();
      break;
    }
    const { status } = await running.exited;
    signal.throwIfAborted();
    if (status === 127) throw noText("pdftotext is missing here: install poppler-utils");
    if (size <= MAX_TEXT_BYTES && status !== 0) {
      throw noText("it is damaged, locked or takes too long to convert: give another address");
    }
    return pagesOf(new TextDecoder().decode(concatBytes(...parts).subarray(0, MAX_TEXT_BYTES)));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Pages end with a form feed each; from the second on they are numbered. */
function pagesOf(text: string): string {
  const pages = text.split("\f").map((page) => page.trim());
  while (pages.at(-1) === "") pages.pop();
  return pages.map((page, index) => index === 0 ? page : `[page ${index + 1}]\n\n${page}`)
    .join("\n\n");
}

function noText(why: string, cause?: unknown): AgentError {
  return new AgentError(
    "no-text",
    `the PDF document cannot be read as text, ${why}`,
    cause === undefined ? {} : { cause },
  );
}
