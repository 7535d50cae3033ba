/** Shapes that several of the ledger's tools take or give. */
import type { Outcome } from "#internal/client/mod.ts";
import { parseFactor, parseUsd, SionError } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { jsonResult, type ToolResult } from "../tool.ts";

/** A JSON number outside, taken by its decimal text; a bigint inside. */
function exact(parse: (given: number) => bigint) {
  return z.pipe(
    z.number(),
    z.transform((given, context) => {
      try {
        return parse(given);
      } catch (error) {
        if (!(error instanceof SionError)) throw error;
        // The sentence begins with the value, which `path` already names in front of it.
        context.issues.push({ code: "custom", input: given, message: error.message });
        return z.NEVER;
      }
    }),
  );
}

/** A positive amount of USD, in micro-USD. */
export const usd = exact(parseUsd);

/** An amount of USD, 0 too, in micro-USD. */
export const usdOrNone = exact((given) => parseUsd(given, { allowZero: true }));

/** A safety factor above 0, in millionths. */
export const safetyFactor = exact(parseFactor);

/** An account as people name it. */
export const accountName = z.string().check(
  z.describe("A wallet name (devnet) or a 64-digit hex account ID"),
);

/** The chain identity that the caller trusts. */
export const chainIdentity = z.string().check(z.describe("Pinned chain identity (hex)"));

/** A memory log as its tools name it. */
export const memoryLog = z.string().check(z.describe("Memory log id (hex) or a unique prefix"));

/** An integer of a range. */
export function wholeNumber(least: number, most: number): z.ZodMiniNumberFormat {
  return z.int().check(
    z.refine(
      (given) => given >= least && given <= most,
      `must be ${least} to ${most.toLocaleString("en")}`,
    ),
  );
}

/** A task as its tools name it. */
export const taskId = z.string().check(z.describe("Task id (hex)"));

/** What was handed in for a task. */
export const taskOutput = z.string().check(z.describe("The output; its bytes are committed"));

/** A storage deal as its tools name it. */
export const storageDeal = z.string().check(z.describe("Deal id (hex) or a unique prefix"));

/** A delegation as its tools name it. */
export const delegation = z.string().check(z.describe("Delegation id (hex) or a unique prefix"));

/** 64 lower-case hex digits. */
export const hex64 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** A count, or an integer that may be beyond 2⁵³. */
export const integer = z.union([z.int(), z.bigint()]);

/** Decimal USD without trailing zeros. */
export const decimalUsd = z.string().check(z.regex(/^\d+(\.\d*[1-9])?$/));

/** How a transaction ended. */
export const transactionStatus = z.union([
  z.literal("Success"),
  z.strictObject({ Failed: z.string() }),
]);

/** `{"<Name>": {…}}` */
export const event = z.record(z.string(), z.record(z.string(), z.union([z.json(), integer])));

/** What tools give that issue a claim: its id unless that failed. */
export const issuedResult = z.strictObject({
  claim: z.optional(hex64),
  pulse: z.int(),
  receipt: z.string(),
  status: transactionStatus,
});

/** The result that {@link issuedResult} is the shape of. */
export function issued(
  { claim, pulse, receipt, status }: Outcome & { readonly claim?: string },
): ToolResult {
  return jsonResult({ ...(claim === undefined ? {} : { claim }), pulse, receipt, status });
}

/** What signing tools give whose transaction is told by its events. */
export const signedResult = z.strictObject({
  events: z.array(event),
  pulse: z.int(),
  receipt: z.string(),
  status: transactionStatus,
});

/** The result that {@link signedResult} is the shape of. */
export function signed({ events, pulse, receipt, status }: Outcome): ToolResult {
  return jsonResult({ events, pulse, receipt, status });
}
