/** How a command's end reads to a model: the exit status first, then what it printed. */
import type { JobNews } from "./jobs.ts";
import type { CommandEnd, CommandStream } from "./run_command.ts";
import { OUTPUT_BYTES } from "./run_command.ts";
import { outputText } from "./output_keeper.ts";
import type { SandboxLimits } from "./sandbox.ts";
import { CPU_SECONDS, FILE_BYTES } from "./sandbox.ts";

/** 128 and the signal's number: illegal instruction aside, what limits end a process with. */
const STATUS = { trap: 133, abort: 134, kill: 137, cpu: 152, fileSize: 153 } as const;
/** What programs say that get no more memory. */
const NO_MEMORY = /could not allocate memory|cannot allocate memory|out of memory|MemoryError/i;

/**
 * The whole answer: `exit status <n>`, why it was stopped, then a section for each stream that printed
 * anything.
 */
export function commandText(end: CommandEnd, limits: SandboxLimits): string {
  const { stdout, stderr } = end;
  const [outBytes, errBytes] = shares(stdout.totalBytes, stderr.totalBytes);
  const why = stopReason(end, limits);
  return [
    `exit status ${end.status}${why === undefined ? "" : ` (${why})`}`,
    ...section("stdout", stdout, outBytes),
    ...section("stderr", stderr, errBytes),
  ].join("\n");
}

/** How news of a job reads to a model: where it stands, then what it printed since the last time. */
export function jobText({ job, status, stopped, output }: JobNews): string {
  const standing = status === undefined
    ? `job ${job} runs`
    : `job ${job} ended with exit status ${status}${stopped ? " (stopped by this session)" : ""}`;
  if (output.totalBytes === 0) return `${standing}; it printed nothing new`;
  return `${standing}\n--- output\n${outputText(output, OUTPUT_BYTES).replace(/\n$/, "")}`;
}

function section(name: string, stream: CommandStream, bytes: number): string[] {
  if (stream.totalBytes === 0) return [];
  const rest = stream.aside === undefined ? undefined : `read more in ${stream.aside}`;
  // The line's own end is the section's.
  return [`--- ${name}`, outputText(stream, bytes, rest).replace(/\n$/, "")];
}

/** How much of each stream is shown: what one does not need, the other may have. */
function shares(out: number, err: number): readonly [number, number] {
  const half = OUTPUT_BYTES >> 1;
  if (out + err <= OUTPUT_BYTES) return [out, err];
  if (err <= half) return [OUTPUT_BYTES - err, err];
  if (out <= half) return [out, OUTPUT_BYTES - out];
  return [half, half];
}

/** Why it did not end by itself, where that can be told. */
function stopReason(end: CommandEnd, limits: SandboxLimits): string | undefined {
  if (end.stopped === "cancelled") return "stopped: nobody waits for it any more";
  if (end.stopped === "time") {
    const seconds = Math.round(limits.timeMs / 1_000);
    return `stopped by the time limit of ${seconds} s, with all that it had started`;
  }
  if (end.status === STATUS.cpu) {
    return `stopped by the limit of ${CPU_SECONDS} CPU seconds a process`;
  }
  if (end.status === STATUS.fileSize) {
    return `stopped by the limit of ${FILE_BYTES >> 20} MiB a file`;
  }
  const memory = size(limits.memoryBytes);
  if (end.outOfMemory) return `stopped: it used up its ${memory} of memory`;
  const aborted = end.status === STATUS.trap || end.status === STATUS.abort;
  if (aborted || (end.status !== 0 && saysNoMemory(end))) {
    return `a process has at most ${memory} of address space here, which some programs need ` +
      "more of: --sandbox-memory changes it";
  }
  return undefined;
}

function saysNoMemory({ stdout, stderr }: CommandEnd): boolean {
  return [stdout, stderr].some(({ head, tail }) =>
    [head, tail].some((bytes) => NO_MEMORY.test(new TextDecoder().decode(bytes)))
  );
}

function size(bytes: number): string {
  return bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
}
