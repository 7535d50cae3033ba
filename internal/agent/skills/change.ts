/**
 * Changes of this machine's skills. A release's files are written first and its record, which makes
 * them count, last; a removal goes the other way. So a stop at any moment leaves the old or the new.
 */
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { equalBytes, utf8 } from "#internal/core/mod.ts";
import { displayPath, ensureFolder, writeFileAtomic } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "#internal/store/mod.ts";
import { AgentError } from "../errors.ts";
import type { Bundle } from "./bundle.ts";
import { isSkillName, MAX_INSTRUCTIONS_BYTES, readDeclaration, SKILL_FILE } from "./declaration.ts";
import type { Asks } from "./declaration.ts";
import { pinned, readSkillFolder } from "./files.ts";
import type { SkillFile } from "./files.ts";
import { readRecord, recordedNames, writeRecord } from "./records.ts";
import type { SkillsPlace } from "./records.ts";
import { findSkill, NOTHING, ownFolder, releasesFolder, within } from "./shelf.ts";
import type { Skill } from "./shelf.ts";

const LOCK = "skills";
const NO_BYTES = new Uint8Array();

/** How a release is installed. */
export interface Installing {
  readonly source: string;
  /** The claim that states its digest, 64 hex digits. */
  readonly claim?: string;
  /** What the operator grants of what it asks for. */
  readonly granted: Asks;
  readonly nowMs: number;
}

/**
 * Installs a release, in the place of an older one of its name. Durable when it returns.
 * @throws {AgentError} `skill` when somebody put a skill of that name there
 */
export async function installBundle(
  place: SkillsPlace,
  { digest, files, declaration }: Bundle,
  { source, claim, granted, nowMs }: Installing,
): Promise<Skill> {
  const { name } = declaration;
  return await asOnlyWriter(place.home, LOCK, async () => {
    await requireFree(place, name);
    const folder = join(releasesFolder(place.home), digest);
    // Files that are there as they should be may be in use, and stay if this is cut off.
    if (!await holdsFiles(folder, files)) {
      try {
        await writeFiles(folder, files);
      } catch (error) {
        // A disk that is full has room for the next try then.
        await rm(folder, { recursive: true, force: true }).catch(() => {});
        throw error;
      }
    }
    await writeRecord(place, name, {
      release: {
        digest,
        ...(claim === undefined ? {} : { claim }),
        source,
        installedMs: nowMs,
        files: files.map(pinned),
      },
      granted: asGrant(within(granted, declaration)),
    });
    await sweep(place);
    return await findSkill(place, name);
  });
}

/** Whether a folder has these files and no other. */
async function holdsFiles(folder: string, files: readonly SkillFile[]): Promise<boolean> {
  const there = await readSkillFolder(folder, { all: true }).catch(() => []);
  const bytesOf = new Map(there.map(({ path, bytes }) => [path, bytes]));
  return there.length === files.length &&
    files.every(({ path, bytes }) => equalBytes(bytesOf.get(path) ?? NO_BYTES, bytes));
}

async function writeFiles(folder: string, files: readonly SkillFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const { path, bytes, executable } of files) {
    const at = join(folder, path);
    await ensureFolder(dirname(at));
    // A container's user reads them; above them nobody else gets in.
    for (let on = dirname(at); on.startsWith(folder); on = dirname(on)) await chmod(on, 0o755);
    await writeFileAtomic(at, bytes, { mode: executable ? 0o755 : 0o644 });
  }
}

/** Grants a skill what it asks for, or takes that back. @param granted what it has from now on */
export async function grantSkill(
  place: SkillsPlace,
  name: string,
  granted: Asks,
): Promise<Skill> {
  return await asOnlyWriter(place.home, LOCK, async () => {
    const { declaration } = await findSkill(place, name);
    const record = await readRecord(place, name);
    await writeRecord(place, name, { ...record, granted: asGrant(within(granted, declaration)) });
    return await findSkill(place, name);
  });
}

/** Removes a skill with its grants. False when there is none. */
export async function removeSkill(place: SkillsPlace, name: string): Promise<boolean> {
  if (!isSkillName(name)) return false;
  return await asOnlyWriter(place.home, LOCK, async () => {
    const own = join(ownFolder(place.home), name);
    const { release } = await readRecord(place, name);
    const there = await lstat(own).then(() => true, () => false);
    await writeRecord(place, name, {});
    await rm(own, { recursive: true, force: true });
    await sweep(place);
    return there || release !== undefined;
  });
}

/** Instructions as an agent writes them. */
export interface WrittenInstructions {
  readonly name: string;
  /** The whole `SKILL.md`. */
  readonly text: string;
  /** Whether it may make a skill that is not there yet. */
  readonly mayMake: boolean;
}

/**
 * Writes the instructions of a skill that somebody put there, or of a new one without scripts. They
 * may ask for no more than the skill asks for now or was granted.
 * @throws {AgentError} `skill`, `skill-unknown`
 */
export async function writeInstructions(
  place: SkillsPlace,
  { name, text, mayMake }: WrittenInstructions,
): Promise<"changed" | "made" | "same"> {
  const bytes = utf8(text);
  if (bytes.length > MAX_INSTRUCTIONS_BYTES) {
    throw new AgentError(
      "skill",
      `the instructions have ${bytes.length} bytes, at most ${MAX_INSTRUCTIONS_BYTES} are taken`,
    );
  }
  const next = await readDeclaration(text, "the new SKILL.md");
  if (next.name !== name) {
    throw new AgentError("skill", `the instructions name the skill ${next.name}, not ${name}`);
  }
  return await asOnlyWriter(place.home, LOCK, async () => {
    const now = await findSkill(place, name).catch((error: unknown) => {
      const isNew = error instanceof AgentError && error.code === "skill-unknown";
      if (isNew && mayMake) return undefined;
      throw error;
    });
    if (now?.release !== undefined) {
      throw new AgentError(
        "skill",
        `skill ${name} is an installed release, which stays as it was published: ` +
          "write a skill of another name",
      );
    }
    const more = moreThan(next, now?.declaration ?? NOTHING, now?.granted ?? NOTHING);
    if (more !== undefined) {
      throw new AgentError(
        "skill",
        `the instructions ask for ${more}, which the operator did not grant: leave it out, or ask ` +
          `the operator to put it there and to run \`sion skill review ${name}\``,
      );
    }
    if (now !== undefined && equalBytes(utf8(now.declaration.text), bytes)) return "same";
    const folder = join(ownFolder(place.home), name);
    await ensureFolder(folder);
    await writeFileAtomic(join(folder, SKILL_FILE), bytes, { mode: 0o644 });
    return now === undefined ? "made" : "changed";
  });
}

/** The first thing that is asked for beyond what there is. */
function moreThan(next: Asks, ...before: readonly Asks[]): string | undefined {
  const beyond = (of: (asks: Asks) => readonly string[]): string | undefined =>
    of(next).find((one) => before.every((asks) => !of(asks).includes(one)));
  const host = beyond(({ hosts }) => hosts);
  const secret = beyond(({ secrets }) => secrets);
  const rule = beyond(({ preApproved }) => preApproved);
  if (host !== undefined) return `the host ${host}`;
  if (secret !== undefined) return `the secret ${secret}`;
  return rule === undefined ? undefined : `the pre-approval ${rule}`;
}

async function requireFree(place: SkillsPlace, name: string): Promise<void> {
  const own = join(ownFolder(place.home), name);
  if (await lstat(own).then(() => false, () => true)) return;
  throw new AgentError(
    "skill",
    `there is a skill ${name} at ${displayPath(own, place.env)}: move it away first`,
  );
}

/** The folders of releases that no record names: an install that was cut off left them, or goes on. */
export async function leftReleases(place: SkillsPlace): Promise<readonly string[]> {
  const kept = new Set<string>();
  for (const name of await recordedNames(place)) {
    const { release } = await readRecord(place, name);
    if (release !== undefined) kept.add(release.digest);
  }
  const names = await readdir(releasesFolder(place.home)).catch(() => []);
  return names.filter((name) => !kept.has(name)).sort();
}

/** Removes them, once no install goes on. */
export async function removeLeftReleases(place: SkillsPlace): Promise<void> {
  await asOnlyWriter(place.home, LOCK, () => sweep(place));
}

/** Removes them, by whoever holds the lock. */
async function sweep(place: SkillsPlace): Promise<void> {
  for (const name of await leftReleases(place)) {
    await rm(join(releasesFolder(place.home), name), { recursive: true, force: true });
  }
}

function asGrant({ hosts, secrets, preApproved }: Asks): {
  hosts: string[];
  secrets: string[];
  preApproved: string[];
} {
  return { hosts: [...hosts], secrets: [...secrets], preApproved: [...preApproved] };
}
