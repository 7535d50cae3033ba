/**
 * The skills of this machine: those that somebody put under `$SION_HOME/agents/skills`, and releases
 * that were installed, which are checked against their digests at each use.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { closest, messageOf, toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { displayPath, readFileIfThere } from "#internal/runtime/mod.ts";
import { AgentError } from "../errors.ts";
import { instructionsText } from "./bundle.ts";
import { isSkillName, MAX_INSTRUCTIONS_BYTES, readDeclaration, SKILL_FILE } from "./declaration.ts";
import type { Asks, Declaration } from "./declaration.ts";
import { readSkillFolder } from "./files.ts";
import type { SkillFile } from "./files.ts";
import { readRecord, recordedNames } from "./records.ts";
import type { SkillRelease, SkillsPlace } from "./records.ts";

/** Nothing granted. */
export const NOTHING: Asks = { hosts: [], secrets: [], preApproved: [] };

/** A skill as it is now. */
export interface Skill {
  readonly name: string;
  /** Its files, absolute. */
  readonly folder: string;
  readonly declaration: Declaration;
  /** Missing for one that somebody put there. */
  readonly release?: SkillRelease;
  /** What of its declaration the operator granted. */
  readonly granted: Asks;
}

/** A skill of a list; one that cannot be used says why. */
export type ListedSkill = Skill | { readonly name: string; readonly problem: string };

/** Where skills are that somebody puts there. */
export function ownFolder(home: string): string {
  return join(home, "agents", "skills");
}

/** Where the files of installed releases are, each in the folder of its digest. */
export function releasesFolder(home: string): string {
  return join(home, "agents", "releases");
}

/** The names of all skills, sorted, those too that cannot be used. */
export async function skillNames(place: SkillsPlace): Promise<readonly string[]> {
  const entries = await readdir(ownFolder(place.home), { withFileTypes: true }).catch(() => []);
  const own = entries.filter((entry) => !entry.isFile() && isSkillName(entry.name));
  const names = new Set(own.map(({ name }) => name));
  for (const name of await recordedNames(place)) {
    if ((await readRecord(place, name)).release !== undefined) names.add(name);
  }
  return [...names].sort();
}

/** All skills with all their files checked, sorted by name. */
export async function listSkills(place: SkillsPlace): Promise<readonly ListedSkill[]> {
  const listed = async (name: string): Promise<ListedSkill> => {
    try {
      const skill = await findSkill(place, name);
      await checkedSkill(place, skill);
      return skill;
    } catch (error) {
      return { name, problem: messageOf(error) };
    }
  };
  return await Promise.all((await skillNames(place)).map(listed));
}

/** A skill by its name. @throws {AgentError} `skill-unknown`, `skill-changed`, `skill` */
export async function findSkill(place: SkillsPlace, name: string): Promise<Skill> {
  const own = join(ownFolder(place.home), name);
  const there = isSkillName(name) ? await lstat(own).catch(() => undefined) : undefined;
  const { release, granted = NOTHING } = isSkillName(name) ? await readRecord(place, name) : {};
  if (release === undefined && there === undefined) throw unknown(name, await skillNames(place));
  if (release !== undefined && there !== undefined) {
    throw new AgentError(
      "skill",
      `there are two skills ${name}, a release and ${displayPath(own, place.env)}: remove one`,
    );
  }
  const folder = release === undefined ? own : join(releasesFolder(place.home), release.digest);
  const shown = displayPath(folder, place.env);
  if (there?.isDirectory() === false) {
    const what = there.isSymbolicLink() ? "is a link: put the folder itself there" : "is no folder";
    throw new AgentError("skill", `${shown} ${what}`);
  }
  const bytes = await readFileIfThere(join(folder, SKILL_FILE), {
    mostBytes: MAX_INSTRUCTIONS_BYTES,
    shownAs: `${shown}/${SKILL_FILE}`,
  });
  if (bytes === undefined && release === undefined) {
    throw new AgentError("skill", `${shown} has no ${SKILL_FILE}: a skill is a folder with one`);
  }
  if (release !== undefined) checkPinned(name, release, SKILL_FILE, bytes);
  const at = `${shown}/${SKILL_FILE}`;
  const declaration = await readDeclaration(instructionsText(bytes ?? new Uint8Array(), at), at);
  if (declaration.name !== name) {
    throw new AgentError(
      "skill",
      `${at} names the skill ${declaration.name}: give its folder that name`,
    );
  }
  return {
    name,
    folder,
    declaration,
    ...(release === undefined ? {} : { release }),
    granted: within(granted, declaration),
  };
}

/** A file of a skill, when all of them are what they were. @throws {AgentError} `skill-changed`, `skill` */
export async function readSkillFile(
  place: SkillsPlace,
  skill: Skill,
  path: string,
): Promise<Uint8Array> {
  const file = (await checkedSkill(place, skill)).find((one) => one.path === path);
  if (file !== undefined) return file.bytes;
  throw new AgentError("skill", `skill ${skill.name} has no file ${path}`);
}

/**
 * All files of a skill, checked: of a release, that none is another, missing or more.
 * @throws {AgentError} `skill-changed`, `skill`
 */
export async function checkedSkill(
  place: SkillsPlace,
  { name, folder, release }: Skill,
): Promise<readonly SkillFile[]> {
  const shown = displayPath(folder, place.env);
  const files = await readSkillFolder(folder, { shown, all: release !== undefined });
  if (release === undefined) return files;
  const bytesOf = new Map(files.map(({ path, bytes }) => [path, bytes]));
  for (const { path } of release.files) checkPinned(name, release, path, bytesOf.get(path));
  const pins = new Set(release.files.map(({ path }) => path));
  const more = files.find(({ path }) => !pins.has(path));
  if (more !== undefined) throw changed(name, `${more.path} is not of its bundle`);
  return files;
}

/** What is granted of what is asked for. */
export function within(granted: Asks, asked: Asks): Asks {
  const both = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((one) => others.includes(one));
  return {
    hosts: both(asked.hosts, granted.hosts),
    secrets: both(asked.secrets, granted.secrets),
    preApproved: both(asked.preApproved, granted.preApproved),
  };
}

function checkPinned(
  name: string,
  { files }: SkillRelease,
  path: string,
  bytes: Uint8Array | undefined,
): void {
  const pin = files.find((file) => file.path === path);
  if (pin === undefined) throw changed(name, `${path} is not of its bundle`);
  if (bytes === undefined) throw changed(name, `${path} is missing`);
  if (toHex(sha256(bytes)) !== pin.sha256) {
    throw changed(name, `${path} is not the file of its bundle`);
  }
}

function changed(name: string, what: string): AgentError {
  return new AgentError(
    "skill-changed",
    `the release of skill ${name} was changed (${what}), so nothing of it is used: ` +
      "install it again",
  );
}

function unknown(name: string, names: readonly string[]): AgentError {
  const meant = closest(name, names);
  const hint = meant === undefined ? "" : `, did you mean ${meant}`;
  return new AgentError(
    "skill-unknown",
    `there is no skill ${name.slice(0, 70)} here${hint}: \`sion skill list\` shows yours`,
  );
}
