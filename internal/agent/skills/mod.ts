/** Skills: what they say of themselves, their files as bundles, releases, and what they were granted. */
export type { Bundle } from "./bundle.ts";
export { MAX_BUNDLE_BYTES, packBundle, readBundle } from "./bundle.ts";
export {
  grantSkill,
  installBundle,
  leftReleases,
  removeLeftReleases,
  removeSkill,
  writeInstructions,
} from "./change.ts";
export type { Asks, Declaration } from "./declaration.ts";
export { MAX_INSTRUCTIONS_BYTES, SKILL_FILE } from "./declaration.ts";
export type { SkillFile } from "./files.ts";
export { readSkillFolder } from "./files.ts";
export { scriptInterpreter } from "./interpreter.ts";
export type { SkillsPlace } from "./records.ts";
export { RELEASE_SCHEMA, releaseSubject, statedRelease } from "./release_claim.ts";
export { replacementBy, replacementLines } from "./replacement.ts";
export { asksForMore, reviewLines, scriptsOf } from "./review.ts";
export type { ListedSkill, Skill } from "./shelf.ts";
export {
  checkedSkill,
  findSkill,
  listSkills,
  NOTHING,
  ownFolder,
  readSkillFile,
  skillNames,
} from "./shelf.ts";
