/** What a re-execution of a Pulse shows about its header. */
import { equalBytes } from "#internal/core/mod.ts";
import { epochEndAfter } from "#internal/ledger/mod.ts";
import type { Header } from "../header.ts";
import type { ParameterFields, SessionConfig } from "../session_config.ts";
import { isLastOfSession, sessionEndAfterChange } from "../session_rules.ts";
import type { WorldMember, WorldOutput } from "./world_input.ts";

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

/** What the fields about sessions follow from beside an execution. */
export interface SessionClaim {
  readonly header: Header;
  readonly before: Header;
  readonly parameters: ParameterFields;
  /** The next session's config, of which the header's is the hash; of a session's last Pulse alone. */
  readonly next: SessionConfig | undefined;
}

/** The fields about sessions in which a header is not what follows from the one before and execution. */
export function differingSession(
  { endsSession, committee }: WorldOutput,
  { header, before, parameters, next }: SessionClaim,
): string[] {
  const begins = isLastOfSession(before);
  const due = begins ? epochEndAfter(before.number, parameters.epochPulses) : before.sessionEnd;
  const end = endsSession ? sessionEndAfterChange(due, header.number) : due;
  const differ: string[] = [];
  if (header.session !== before.session + (begins ? 1 : 0)) differ.push("session");
  if (header.sessionEnd !== end) differ.push("sessionEnd");
  if (isLastOfSession(header) && !isCommittee(committee, next)) differ.push("config");
  return differ;
}

function isCommittee(
  members: readonly WorldMember[] | null,
  config: SessionConfig | undefined,
): boolean {
  return config !== undefined && members?.length === config.validators.length &&
    members.every(({ operator, key, stake }, at) => {
      const validator = config.validators[at];
      return operator === config.operators[at] && stake === validator?.stake &&
        equalBytes(key, validator.publicKey);
    });
}
