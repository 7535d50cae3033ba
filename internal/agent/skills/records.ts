/**
 * What is kept of a skill outside its folder, in `$SION_HOME/agents/skill-records/<name>.json`: which
 * release it is and the digests of its files, and what the operator granted it. It is written after
 * a release's files are there and before they go: what it says is what holds.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { displayPath, ensureFolder, removeFile } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { keptDamaged, readPrivateJson, writePrivateJson } from "#internal/store/mod.ts";
import type { PrivateFile } from "#internal/store/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { isSkillName } from "./declaration.ts";

/** Where skills are kept. */
export interface SkillsPlace {
  /** `$SION_HOME`. */
  readonly home: string;
  readonly env: Environment;
}

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const texts = z.array(z.string());

const releaseSchema = z.strictObject({
  /** Of its bundle. */
  digest: hex64,
  /** The claim on the ledger that states the digest, if it was installed by one. */
  claim: hex64.exactOptional(),
  /** The file or URL that it came from. */
  source: z.string(),
  installedMs: z.number(),
  files: z.array(z.strictObject({ path: z.string(), sha256: hex64, bytes: z.number() })),
});

const grantSchema = z.strictObject({ hosts: texts, secrets: texts, preApproved: texts });

const recordSchema = z.strictObject({
  release: releaseSchema.exactOptional(),
  granted: grantSchema.exactOptional(),
});

/** A release as it was installed. */
export type SkillRelease = z.infer<typeof releaseSchema>;
/** What is kept of one skill. */
export type SkillRecord = z.infer<typeof recordSchema>;

/** The names under which something is kept, sorted. */
export async function recordedNames({ home }: SkillsPlace): Promise<readonly string[]> {
  const names = await readdir(folderOf(home)).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5))
    .filter(isSkillName).sort();
}

/** What is kept of a skill. @throws {SionError} `kept-damaged`, `kept-newer`, `file-exposed` */
export async function readRecord(place: SkillsPlace, name: string): Promise<SkillRecord> {
  const file = fileOf(place, name);
  const members = await readPrivateJson(file);
  if (members === undefined) return {};
  const found = recordSchema.safeParse(members);
  if (!found.success) throw keptDamaged(file, found.error.issues[0]?.message ?? "unreadable");
  return found.data;
}

/** Keeps what there is to keep of a skill. Its caller is the only writer. */
export async function writeRecord(
  place: SkillsPlace,
  name: string,
  record: SkillRecord,
): Promise<void> {
  const file = fileOf(place, name);
  if (record.release === undefined && record.granted === undefined) {
    await removeFile(file.path);
    return;
  }
  await ensureFolder(folderOf(place.home));
  await writePrivateJson(file, record as unknown as { readonly [member: string]: JsonValue });
}

function folderOf(home: string): string {
  return join(home, "agents", "skill-records");
}

function fileOf({ home, env }: SkillsPlace, name: string): PrivateFile {
  const path = join(folderOf(home), `${name}.json`);
  return { path, shown: displayPath(path, env), version: 1 };
}
