/** What was handed in for a task, and who attested it: found among the ledger's claims. */
import type { JsonValue } from "#internal/core/mod.ts";
import { quoteOddWord } from "#internal/core/mod.ts";
import { checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { noNode } from "./errors.ts";
import { listObjects } from "./objects.ts";
import type { TaskClaim, TaskClaims } from "./task_types.ts";
import type { Abortable, ObjectValue } from "./types.ts";

type Fields = { readonly [member: string]: JsonValue };

/** Results and attestations of a task, the oldest first. @param task its id, 64 hex digits. */
export async function claimsOfTask(
  context: Context,
  task: string,
  options: Abortable = {},
): Promise<TaskClaims> {
  await checkPinned(context, options.signal);
  const claims = await listObjects(context, "claim", undefined, options);
  const { readOutputText, TASK_ATTESTATION_SCHEMA, TASK_RESULT_SCHEMA } = await import(
    "#internal/ledger/mod.ts"
  );
  const of = (schema: string): readonly TaskClaim[] =>
    claims.flatMap((claim) => {
      const { subject } = claim.object;
      if (claim.object["schema"] !== schema || typeof subject !== "string") return [];
      const stated = readOutputText(subject);
      if (stated?.task !== task) return [];
      const { output, worker } = stated;
      return [{ output, worker: worker ?? null, ...fieldsOf(context, claim) }];
    }).sort((a, b) => a.issued - b.issued);
  return { attestations: of(TASK_ATTESTATION_SCHEMA), results: of(TASK_RESULT_SCHEMA) };
}

function fieldsOf(
  context: Context,
  { id, object }: ObjectValue,
): Pick<TaskClaim, "claim" | "issued" | "issuer" | "status"> {
  const { issuer, issued, status } = object as Fields;
  if (typeof issuer === "string" && typeof status === "string") {
    return { claim: id, issued: Number(issued), issuer, status };
  }
  throw noNode(context.node, new TypeError(`Claim ${quoteOddWord(id)} has no issuer`));
}
