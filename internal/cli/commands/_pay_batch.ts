/** `sion pay --batch`: a list of payments, up to 128 under one signature. */
import { formatUsd, parseUsd, shortId } from "#internal/core/mod.ts";
import type { BatchPayment, Client, Outcome } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../errors.ts";
import { readGiven } from "../standard_input.ts";
import type { ListLine } from "./_batch_file.ts";
import { MAX_LIST_BYTES, parseList } from "./_batch_file.ts";
import { exitOf, paymentValue } from "./_signing.ts";

/** What was typed. */
export interface BatchRequest {
  readonly wallet: string;
  /** The list's path; `-` is standard input. */
  readonly file: string;
  readonly again: boolean;
  readonly offline: boolean;
  readonly validForPulses: number | undefined;
}

/** Reads, checks and pays the list; the exit code. */
export async function payList(context: CommandContext, request: BatchRequest): Promise<number> {
  context.onInterrupt("nothing was sent");
  const { file } = request;
  const bytes = await readGiven(context, file, MAX_LIST_BYTES, "a file of payees and amounts");
  const lines = parseList(bytes, file === "-" ? "standard input" : file);
  const client = await context.client();
  const batch = batchOf(context, request, lines);
  if (request.offline) return await signList(context, client, batch);
  const { batch: id, outcomes, earlier } = await client.payBatch(batch);
  tellSums(context, { id, outcomes, earlier }, lines);
  // From here on the list was made: a process that ends before it tells the same once more.
  await client.endBatch(id);
  return exitOf(...outcomes);
}

function batchOf(
  context: CommandContext,
  { wallet, again, validForPulses }: BatchRequest,
  payments: readonly ListLine[],
): BatchPayment {
  const { output, json, signal } = context;
  return {
    from: wallet,
    payments,
    again,
    signal,
    ...(validForPulses === undefined ? {} : { validForPulses }),
    onSign({ batch, part, parts, payments, amount, fee, validUntil }) {
      const name = shortId(batch);
      context.began(
        `batch ${name} was begun: the same command goes on with it, pays nothing twice`,
      );
      context.onInterrupt(
        `batch ${name} may still execute: the same command goes on with it, pays nothing twice`,
      );
      if (json) return;
      const what = payments === 1 ? "payment" : "payments";
      output.line(
        `${wallet} signs part ${part} of ${parts} of batch ${name}: ${payments} ${what} of ` +
          `${formatUsd(amount)} USD together. Fees ${formatUsd(fee)} USD; valid until Pulse ` +
          `${validUntil}.`,
      );
    },
    onOutcome({ pulse, receipt }) {
      if (!json) output.line(`Pulse ${pulse}: ${receipt}`);
    },
  };
}

async function signList(
  { json, output }: CommandContext,
  client: Client,
  batch: BatchPayment,
): Promise<number> {
  const units = await client.signBatchOffline(batch);
  if (json) {
    output.json({
      units: units.map(({ digest, intent, tx, validUntil }) => ({
        digest,
        intent,
        tx,
        valid_until: validUntil,
      })),
    });
    return EXIT.done;
  }
  for (const { intent, tx } of units) {
    output.note(`${batch.from} signs: ${intent}`);
    output.line(tx);
  }
  output.hint(["each line is a transaction: send them in order with sion submit -"]);
  return EXIT.done;
}

/** The list's result: what was paid, and which lines failed. */
function tellSums(
  { json, output }: CommandContext,
  { id, outcomes, earlier }: {
    readonly id: string;
    readonly outcomes: readonly Outcome[];
    readonly earlier: number;
  },
  lines: readonly ListLine[],
): void {
  const succeeded = (at: number): boolean => outcomes[at]?.status === "Success";
  const paid = lines.reduce((sum, { amount }, at) => succeeded(at) ? sum + amount : sum, 0n);
  const fees = outcomes.reduce((sum, { fee }) => sum + parseUsd(fee, { allowZero: true }), 0n);
  const failed = lines.filter((_, at) => !succeeded(at));
  if (json) {
    output.json({
      batch: id,
      earlier,
      failed: failed.length,
      fees: formatUsd(fees),
      paid: formatUsd(paid),
      payments: outcomes.map((outcome, at) => ({
        line: lines[at]?.line,
        to: lines[at]?.to,
        ...paymentValue(outcome),
      })),
      succeeded: outcomes.length - failed.length,
    });
    return;
  }
  for (const { source, to } of failed) output.line(`not paid: ${source}, ${to}`);
  output.line(
    `made ${outcomes.length - failed.length} of ${outcomes.length} payments: ${formatUsd(paid)} ` +
      `USD, and ${formatUsd(fees)} USD of fees`,
  );
}
