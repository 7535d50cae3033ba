/** Shows an agent's run on the command line, as lines or as one object a line. */
import { userInfo } from "node:os";
import type { Listener, OpenMachine, PrintedLine } from "#internal/agent/mod.ts";
import type { CommandContext } from "../context.ts";
import type { Look } from "../output.ts";
import { styled } from "../output.ts";
import { workerEntryOf } from "./_server.ts";

const LOOKS: { readonly [role: string]: Look } = { call: "dim", result: "dim", failure: "red" };

/** What is read out for the signs that calls are told by. */
const WORDS: { readonly [sign: string]: string } = { "→": "calls", "←": "result", "✗": "failed" };

/** The machine that sessions run on here. */
export async function openMachine(
  context: CommandContext,
  options: { readonly showChanges?: boolean } = {},
): Promise<OpenMachine> {
  const { openAgentMachine } = await import("#internal/agent/mod.ts");
  const { chain: _chain, ...client } = context.clientOptions;
  const machine = openAgentMachine({
    ...client,
    ...options,
    cwd: context.cwd,
    ...workerEntryOf(context.program),
  });
  const { secrets } = machine;
  if (secrets !== undefined) context.redactErrors(() => secrets.redactor());
  return machine;
}

/** Who sits at this terminal, as sessions name them. */
export function personHere(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return "cli";
  }
}

/** A listener that prints what it hears. */
export async function listenerOf(context: CommandContext): Promise<Listener> {
  const { output, json } = context;
  const { createPrinter, jsonLineOf } = await import("#internal/agent/mod.ts");
  const printer = createPrinter();
  return (event) => {
    if (event.type === "session") {
      context.onInterrupt(
        `session ${event.session} is kept: \`sion agent continue ${event.session}\` goes on`,
      );
      context.began(`session ${event.session} ran: see \`sion agent trace ${event.session}\``);
    }
    if (json) {
      output.stdout.write(`${jsonLineOf(event)}\n`);
      return;
    }
    for (const line of printer.push(event)) printLine(context, line);
    if (event.type === "waiting") output.hint(event.says?.split("\n") ?? []);
  };
}

/** Prints an entry of the transcript; `--plain` says in words what signs say else. */
export function printLine(
  { output, plain }: Pick<CommandContext, "output" | "plain">,
  { role, text }: PrintedLine,
): void {
  if (role === "error") return output.error(text.replace(/^error: /, ""));
  const look = LOOKS[role];
  const said = plain ? text.replace(/^ ([→←✗]) /, (_, sign: string) => `${WORDS[sign]} `) : text;
  output.stdout.write(`${look === undefined ? said : styled(output.stdout, look, said)}\n`);
}
