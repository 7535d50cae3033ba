/** A release on the ledger: a claim whose subject names a skill and the digest of its bundle. */
import { isHex64 } from "#internal/core/mod.ts";
import { AgentError } from "../errors.ts";
import { isSkillName } from "./declaration.ts";

/** The schema of such claims. */
export const RELEASE_SCHEMA = "skill-release/v1";

/** What such a claim states. */
export interface StatedRelease {
  readonly name: string;
  /** Of the bundle, 64 hex digits. */
  readonly digest: string;
}

/** The subject of a release's claim. */
export function releaseSubject({ name, digest }: StatedRelease): string {
  return `skill ${name} ${digest}`;
}

/** What a claim states of a release. @throws {AgentError} `skill` when it is about something else */
export function statedRelease(
  claim: { readonly id: string; readonly schema: unknown; readonly subject: unknown },
): StatedRelease {
  const [word, name = "", digest = "", ...more] = String(claim.subject).split(" ");
  const isOne = claim.schema === RELEASE_SCHEMA && word === "skill" && isSkillName(name) &&
    isHex64(digest) && more.length === 0;
  if (isOne) return { name, digest };
  throw new AgentError(
    "skill",
    `claim ${claim.id.slice(0, 8)} states no release of a skill: give the one that ` +
      "`sion skill publish` made",
  );
}
