/** What a re-execution of a Pulse shows about its header. */
import { equalBytes } from "#internal/core/mod.ts";
import type { Header } from "../header.ts";
import type { WorldOutput } from "./world_input.ts";

/** A header field that execution fixes. */
export type ExecutedField =
  | "stateRoot"
  | "knowledgeRoot"
  | "knowledgeSize"
  | "receiptsRoot"
  | "leavesRoot";

const ROOTS = ["stateRoot", "knowledgeRoot", "receiptsRoot", "leavesRoot"] as const;

/** The fields in which an execution differs from a header (or from another execution): none is proof. */
export function differingFields(
  executed: WorldOutput,
  claimed: Pick<Header, ExecutedField>,
): ExecutedField[] {
  const differ: ExecutedField[] = ROOTS.filter((field) =>
    !equalBytes(executed[field], claimed[field])
  );
  if (executed.knowledgeSize !== claimed.knowledgeSize) differ.push("knowledgeSize");
  return differ;
}
