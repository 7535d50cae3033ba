/**
 * Whose project instructions were agreed to here: `$SION_HOME/agents/projects.json`, by folder and by
 * the digest of what was read. What changed is not agreed to any more.
 */
import { join } from "node:path";
import { ensureFolder } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "./one_writer.ts";
import { readPrivateJson, writePrivateJson } from "./private_json.ts";
import type { PrivateFile } from "./private_json.ts";

/** The oldest is forgotten when there are more. */
const MOST_PROJECTS = 1_000;

/** What a person said about a project's instructions. */
export interface ProjectChoices {
  /**
   * The answer about these very instructions; `undefined` when nobody was asked.
   * @throws {SionError} `kept-damaged`, `kept-newer`, `file-exposed`
   */
  answer(folder: string, digest: string): Promise<boolean | undefined>;
  /** Keeps an answer in place of the folder's last one. */
  keep(folder: string, digest: string, yes: boolean): Promise<void>;
}

/** The choices of a home folder. @param shown how a path is written in errors. @default as it is */
export function openProjectChoices(
  home: string,
  shown: (path: string) => string = (path) => path,
): ProjectChoices {
  const path = join(home, "agents", "projects.json");
  const file: PrivateFile = { path, shown: shown(path), version: 1 };
  return {
    async answer(folder, digest) {
      const kept = (await readPrivateJson(file))?.[folder];
      if (kept === `yes ${digest}`) return true;
      return kept === `no ${digest}` ? false : undefined;
    },
    async keep(folder, digest, yes) {
      await asOnlyWriter(home, "projects", async () => {
        const { [folder]: _last, ...others } = await readPrivateJson(file) ?? {};
        const entries = Object.entries(others).flatMap(([name, value]): [string, string][] =>
          typeof value === "string" ? [[name, value]] : []
        );
        await ensureFolder(join(home, "agents"));
        await writePrivateJson(
          file,
          Object.fromEntries([
            ...entries.slice(1 - MOST_PROJECTS),
            [folder, `${yes ? "yes" : "no"} ${digest}`],
          ]),
        );
      });
    },
  };
}
