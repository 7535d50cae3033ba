/** What commands that sign share: the line before the signature, the line after, the exit code. */
import { shortId } from "#internal/core/mod.ts";
import type { Outcome, SignOptions } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../errors.ts";

/** Tells what is signed and how it went; silent with `--json`. */
export function telling(context: CommandContext): SignOptions {
  const { output, json, signal } = context;
  context.onInterrupt("nothing was sent");
  return {
    signal,
    onSign({ wallet, intent, digest }) {
      context.began(
        `transaction ${digest} was signed: ask \`sion receipt ${digest}\`, do not pay again`,
      );
      if (!json) output.line(`${wallet} signs: ${intent}`);
      context.onInterrupt(
        `transaction ${shortId(digest)} may still execute: ask \`sion receipt ${digest}\`, ` +
          "do not pay again",
      );
    },
    onOutcome({ pulse, receipt }) {
      if (!json) output.line(`Pulse ${pulse}: ${receipt}`);
    },
  };
}

/** 0 when the ledger did it, 3 when the transaction failed. */
export function exitOf(...outcomes: readonly Outcome[]): number {
  return outcomes.every(({ status }) => status === "Success") ? EXIT.done : EXIT.failed;
}

/** The value of `sion_pay`. */
export function paymentValue({ digest, fee, pulse, receipt, status }: Outcome): object {
  return { digest, fee, pulse, receipt, status };
}

/** The value of other signing commands: what was made, by name, and how it went. */
export function outcomeValue(
  { digest, fee, pulse, receipt, status, events }: Outcome,
  made: Readonly<Record<string, string | undefined>> = {},
): object {
  return { ...made, digest, events, fee, pulse, receipt, status };
}

/**
 * Ends a command that signed one transaction: its value with `--json`, else, when it was done, what to
 * do next; its exit code.
 */
export function finished(
  context: CommandContext,
  outcome: Outcome,
  next: readonly string[] = [],
): number {
  if (context.json) context.output.json(outcomeValue(outcome));
  else if (outcome.status === "Success") context.output.hint(next);
  return exitOf(outcome);
}

/** Runs one action of a wallet, with its lines, its value and its exit code. */
export async function signOne(
  context: CommandContext,
  wallet: string,
  action: { readonly kind: string; readonly body: unknown },
  options: {
    /** What the object is that it makes, if it makes one. */
    readonly makes?: string;
    /** What to do next with it. */
    readonly next?: (id: string) => readonly string[];
  } = {},
): Promise<number> {
  const client = await context.client();
  const [outcome] = await client.transact({ wallet, actions: [action], ...telling(context) });
  if (outcome === undefined) throw new TypeError("A transaction has no outcome");
  const made = outcome.status === "Success" ? outcome.made[0] : undefined;
  if (context.json) {
    const named = options.makes === undefined ? {} : { [options.makes]: made };
    context.output.json(outcomeValue(outcome, named));
  } else if (made !== undefined && options.makes !== undefined) {
    context.output.line(`${options.makes} ${made}`);
    context.output.hint(options.next?.(made) ?? []);
  }
  return exitOf(outcome);
}
