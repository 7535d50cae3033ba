/**
 * Profiles, in `$SION_HOME/agents/profiles/<name>.json`: which agent, and the options that its
 * sessions are opened with, as a person gave them. What options mean is checked by who takes them.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isHex64, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { codeOf, ensureFolder, removeFile } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "./one_writer.ts";
import type { PrivateFile } from "./private_json.ts";
import { keptDamaged, readPrivateJson, writePrivateJson } from "./private_json.ts";

/**
 * - `profile-name`: a text that cannot be a profile's name. Data: `name`.
 * - `profile-exists`: there is a profile of that name. Data: `name`.
 * - `profile-unknown`: there is none. Data: `name`, `names`.
 */
export type ProfileErrorCode = "profile-name" | "profile-exists" | "profile-unknown";

/** What an option was given as; a toggle is `true`. */
export type ProfileOption = string | true | readonly string[];

/** A kept configuration of an agent. */
export interface Profile {
  readonly name: string;
  readonly wallet: string;
  /** The identity's id, 64 hex digits. */
  readonly agent: string;
  /** Options of `sion agent run` by their names as programs know them; paths in them are absolute. */
  readonly options: { readonly [option: string]: ProfileOption };
}

/** The profiles of a home. */
export interface Profiles {
  /** Sorted by name. */
  list(): Promise<readonly Profile[]>;
  /** @throws {SionError} `profile-unknown`, `kept-damaged`, `kept-newer`, `file-exposed` */
  get(name: string): Promise<Profile>;
  /** Keeps a new one. @throws {SionError} `profile-exists`, `profile-name` */
  add(profile: Profile): Promise<void>;
  /**
   * Changes one, while nobody else does.
   * @param change gives it as it is to be; what it throws changes nothing
   * @throws {SionError} as `get`
   */
  change(name: string, change: (profile: Profile) => Promise<Profile>): Promise<Profile>;
  /** False when there is none. */
  remove(name: string): Promise<boolean>;
}

/** Names stand in URLs, files and lines: letters, digits, - and _. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const LOCK = "profiles";
const SUFFIX = ".json";

/** The profiles of a home folder. @param shown how a path is written in errors. @default as it is */
export function openProfiles(
  home: string,
  shown: (path: string) => string = (path) => path,
): Profiles {
  const folder = join(home, "agents", "profiles");
  const fileOf = (name: string): PrivateFile => {
    const path = join(folder, `${checkedName(name)}${SUFFIX}`);
    return { path, shown: shown(path), version: 1 };
  };
  const names = (): Promise<readonly string[]> => namesIn(folder);
  const get = async (name: string): Promise<Profile> => {
    const profile = await read(fileOf(name), name);
    if (profile === undefined) throw unknown(name, await names());
    return profile;
  };
  const write = async (profile: Profile): Promise<void> => {
    const { wallet, agent, options } = profile;
    await ensureFolder(folder);
    await writePrivateJson(fileOf(profile.name), {
      wallet,
      agent,
      options: options as JsonValue,
    });
  };
  return {
    get,
    list: async () => await Promise.all((await names()).map(get)),
    add: async (profile) =>
      await asOnlyWriter(home, LOCK, async () => {
        const { name } = profile;
        if (await read(fileOf(name), name) !== undefined) throw exists(name);
        await write(profile);
      }),
    change: async (name, change) =>
      await asOnlyWriter(home, LOCK, async () => {
        const changed = await change(await get(name));
        await write({ ...changed, name });
        return changed;
      }),
    remove: async (name) =>
      await asOnlyWriter(home, LOCK, async () => await removeFile(fileOf(name).path)),
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length)).filter((name) => NAME.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  throw new SionError<ProfileErrorCode>(
    "profile-name",
    `${shown} is no name for a profile: use up to 64 letters, digits, - and _`,
    { data: { name } },
  );
}

function unknown(name: string, names: readonly string[]): Error {
  return new SionError<ProfileErrorCode>(
    "profile-unknown",
    `there is no profile ${name} here: \`sion agent profile list\` shows yours`,
    { data: { name, names } },
  );
}

function exists(name: string): Error {
  return new SionError<ProfileErrorCode>(
    "profile-exists",
    `there is a profile ${name} already: change it with \`sion agent profile set ${name}\``,
    { data: { name } },
  );
}

async function read(file: PrivateFile, name: string): Promise<Profile | undefined> {
  const members = await readPrivateJson(file);
  if (members === undefined) return undefined;
  const { wallet, agent, options, ...others } = members;
  const isWhole = typeof wallet === "string" && typeof agent === "string" && isHex64(agent) &&
    Object.keys(others).length === 0;
  if (!isWhole || !areOptions(options)) throw keptDamaged(file, "it is no profile");
  return { name, wallet, agent, options };
}

function areOptions(value: JsonValue | undefined): value is Profile["options"] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.values(value).every((option: JsonValue | undefined) =>
    option === true || typeof option === "string" ||
    (Array.isArray(option) && option.every((one: JsonValue) => typeof one === "string"))
  );
}
