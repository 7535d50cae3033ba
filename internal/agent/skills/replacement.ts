/**
 * What a release changes of the one that is installed, for whoever decides whether it may: an update is
 * where a skill that was good can begin to ask for more.
 */
import { escapeLine, shortId } from "#internal/core/mod.ts";
import type { Bundle } from "./bundle.ts";
import type { Asks } from "./declaration.ts";
import { pinned } from "./files.ts";
import { NOTHING } from "./shelf.ts";
import { readRecord } from "./records.ts";
import type { SkillsPlace } from "./records.ts";

/** Files that are named of each kind; the rest are counted. */
const MOST_NAMED = 10;

/** A release that takes the place of another. */
export interface Replacement {
  /** The installed release's, and the claim it was installed by. */
  readonly digest: string;
  readonly claim?: string;
  /** Paths. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  /** What it asks for and the skill does not have now. */
  readonly more: Asks;
}

/**
 * Compares a bundle with what is installed under its name, by the digests of the files that were installed
 * and by what was granted; undefined when no release is.
 * @throws {SionError} as `readRecord`
 */
export async function replacementBy(
  place: SkillsPlace,
  { declaration, files }: Pick<Bundle, "declaration" | "files">,
): Promise<Replacement | undefined> {
  const { release, granted = NOTHING } = await readRecord(place, declaration.name);
  if (release === undefined) return undefined;
  const before = new Map(release.files.map(({ path, sha256 }) => [path, sha256]));
  const after = new Map(files.map(pinned).map(({ path, sha256 }) => [path, sha256]));
  const paths = [...after.keys()];
  const beyond = (of: (asks: Asks) => readonly string[]): readonly string[] =>
    of(declaration).filter((one) => !of(granted).includes(one));
  return {
    digest: release.digest,
    ...(release.claim === undefined ? {} : { claim: release.claim }),
    added: paths.filter((path) => !before.has(path)),
    changed: paths.filter((path) => before.has(path) && before.get(path) !== after.get(path)),
    gone: [...before.keys()].filter((path) => !after.has(path)),
    more: {
      hosts: beyond(({ hosts }) => hosts),
      secrets: beyond(({ secrets }) => secrets),
      preApproved: beyond(({ preApproved }) => preApproved),
    },
  };
}

/** It as lines, below those of the review. */
export function replacementLines(
  { digest, claim, added, changed, gone, more }: Replacement,
): readonly string[] {
  const by = claim === undefined ? "no claim" : `claim ${shortId(claim)}`;
  const lines = [
    ...fileLine("changes", changed),
    ...fileLine("adds", added),
    ...fileLine("leaves out", gone),
  ];
  return [
    `takes the place of release ${shortId(digest)} (${by})`,
    ...(lines.length === 0 ? ["  the same files"] : lines),
    ...more.hosts.map((host) => `  does not reach now: ${host}`),
    ...more.secrets.map((secret) => `  does not get now: ${secret}`),
    ...more.preApproved.map((rule) => `  asks now for: ${rule}`),
  ];
}

function fileLine(does: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MOST_NAMED).map(escapeLine).join(", ");
  const rest = paths.length - MOST_NAMED;
  return [`  ${does} ${named}${rest > 0 ? ` and ${rest} more` : ""}`];
}
