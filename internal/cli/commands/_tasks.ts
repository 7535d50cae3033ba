/** Tasks as commands take and show them. */
import type { TaskClaim, TaskClaims, TaskValue } from "#internal/client/mod.ts";
import { shortId, utf8 } from "#internal/core/mod.ts";
import type { Reader } from "../command.ts";
import { value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";
import { path, text } from "../readers.ts";
import { readGiven } from "../standard_input.ts";

/** Bytes of a description or an output: it is read whole, and only its hash goes anywhere. */
const MAX_BYTES = 64 << 20;

/** Who judges: an account with the label of its bond, or the id of its adjudicator atom. */
export const adjudicator: Reader<string> = {
  placeholder: "ACCOUNT:LABEL|ATOM",
  read: (given) => given,
};

/** What was handed in, as text or as a file. */
export const outputFlags = {
  output: value(text("TEXT"), "what was handed in; its bytes are committed"),
  outputFile: value(path, "the same from a file; - is standard input"),
};

/** The bytes of an output. @throws {SionError} `usage` unless it is given once */
export async function outputOf(
  context: CommandContext,
  flags: { readonly output: string | undefined; readonly outputFile: string | undefined },
): Promise<Uint8Array> {
  const bytes = await bytesOf(context, "output", flags.output, flags.outputFile);
  if (bytes === undefined) {
    throw usageError("no output is given: add --output TEXT, or --output-file FILE");
  }
  return bytes;
}

/** The bytes of a text or of a file; undefined of neither. */
export async function bytesOf(
  context: CommandContext,
  name: "output" | "spec",
  given: string | undefined,
  file: string | undefined,
): Promise<Uint8Array | undefined> {
  if (given !== undefined && file !== undefined) {
    throw usageError(`--${name} and --${name}-file are both given: give one`);
  }
  if (given !== undefined) return utf8(given);
  return file === undefined
    ? undefined
    : await readGiven(context, file, MAX_BYTES, "a file to be committed");
}

/** A task as lines: who pays whom for what, under which rule, how it stands. */
export function taskLines(
  task: TaskValue,
  name: (account: string) => string,
  short: (id: string) => string,
): readonly string[] {
  const kind = task.worker === null ? "a bounty" : `for ${name(task.worker)}`;
  const lines = [
    `task ${task.task} of ${name(task.poster)}, ${kind}: ${task.escrow} USD, ${
      stateOf(task, name)
    }`,
  ];
  if (task.spec !== null) lines.push(`described by text with SHA-256 ${task.spec}`);
  if (task.charter !== null && task.allotment !== null) {
    lines.push(`paid from allotment ${short(task.allotment)} under charter ${short(task.charter)}`);
  }
  if (task.requires.length > 0) {
    lines.push(`results rest on ${task.requires.map((id) => `claim ${short(id)}`).join(", ")}`);
  }
  if (task.verifiers.length > 0) {
    lines.push(`attestations count of ${task.verifiers.map(name).join(", ")}`);
  }
  lines.push(
    task.adjudicator === null
      ? "judged by nobody: a false result costs its worker nothing"
      : `judged by ${name(task.adjudicator.account)} with bond ${task.adjudicator.label}`,
    `backed ${task.kappa} times, noticed at most ${task.detection_permille} times in 1000, ` +
      `reserved for ${task.reliance_pulses} Pulses after payment`,
  );
  return lines;
}

/** What was attested and handed in for a task, one a line. */
export function claimLines(
  { attestations, results }: TaskClaims,
  name: (account: string) => string,
  short: (id: string) => string,
): readonly string[] {
  const line = ({ claim, issuer, output, status, worker }: TaskClaim, what: string): string => {
    const of = worker === null ? "" : ` of ${name(worker)}`;
    const standing = status === "Active" ? "" : `, ${status.toLowerCase()}`;
    return `${what} ${short(claim)} of ${name(issuer)}: output ${short(output)}${of}${standing}`;
  };
  return [
    ...attestations.map((each) => line(each, "attestation")),
    ...results.map((each) => line(each, "result")),
  ];
}

/** How a task stands, with what a person would ask next. */
export function stateOf(task: TaskValue, name: (account: string) => string): string {
  const { deadline, paid, refunded, state } = task;
  if (paid !== null) {
    return `paid to ${name(paid.worker)} at Pulse ${paid.pulse} for result ` +
      `${shortId(paid.result)}, backing reserved until Pulse ${paid.reserved_until}`;
  }
  if (refunded !== null) return `taken back at Pulse ${refunded}`;
  return state === "open"
    ? `open until Pulse ${deadline}`
    : `not settled by Pulse ${deadline}: its poster can take the money back`;
}
