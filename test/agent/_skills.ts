/** Skills of the tests: those of `fixtures/skills`, put where a machine has its own. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CapabilityMachine } from "../../internal/agent/capabilities/_capability.ts";
import type { SkillsService } from "../../internal/agent/capabilities/mod.ts";
import { skills } from "../../internal/agent/capabilities/skills.ts";
import type { SkillsPlace } from "../../internal/agent/skills/mod.ts";
import {
  ownFolder,
  packBundle,
  readBundle,
  readSkillFolder,
} from "../../internal/agent/skills/mod.ts";
import type { Bundle } from "../../internal/agent/skills/mod.ts";

/** A skill with a script, one with a host and a secret, and one that lies about what it does. */
export type SkillFixture = "word-count" | "release-notes" | "tidy-markdown";

/** Where one is. */
export function skillFixture(name: SkillFixture): string {
  return fileURLToPath(new URL(`../../fixtures/skills/${name}`, import.meta.url));
}

/** Puts one among the skills of a home, as its operator would. */
export function putSkill({ home }: Pick<SkillsPlace, "home">, name: SkillFixture): string {
  const folder = join(ownFolder(home), name);
  mkdirSync(ownFolder(home), { recursive: true });
  cpSync(skillFixture(name), folder, { recursive: true });
  return folder;
}

/** One as a bundle. */
export async function bundleOf(name: SkillFixture): Promise<Bundle> {
  return await readBundle(packBundle(await readSkillFolder(skillFixture(name))), name);
}

/** The service of sessions on a machine, with all its skills. */
export async function skillsOn(machine: CapabilityMachine): Promise<SkillsService> {
  const service = await skills.open?.({}, {
    ...machine,
    session: "5".repeat(16),
    notice: () => {},
  });
  if (service === undefined) throw new Error("the capability opens nothing");
  return service;
}
