/**
 * Results that are too long for an answer, kept whole in `$SION_HOME/agents/outputs/<session>` so that
 * the agent can read on in them with `read_file`. Not in the workspace: what strangers wrote would stand
 * there for sessions that do not know it. Content held in quarantine is not kept here.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { utf8 } from "#internal/core/mod.ts";
import { codeOf, ensureFolder, writeFileAtomic } from "#internal/runtime/mod.ts";
import { pruneFolder } from "./bounded_folder.ts";
import type { Workspace } from "./workspace.ts";

/** Characters of one result; the rest of a longer one is gone. */
const MOST_CHARACTERS = 4_000_000;
/** What one session keeps; the oldest goes first, bytes. */
const MOST_SESSION_BYTES = 32 << 20;

const PREFIX = "output:";
const NAME = /^\d{1,9}\.\d{1,9}(?:\.\d{1,9})?$/;

/** Where a session keeps them. */
export function outputsFolder(home: string, session: string): string {
  return join(home, "agents", "outputs", session);
}

/** Keeps a call's result. @returns the name that `read_file` takes */
export async function keepOutput(folder: string, call: string, text: string): Promise<string> {
  await ensureFolder(folder);
  const cut = text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}\n(the rest was not kept)\n`;
  await writeFileAtomic(join(folder, call), utf8(cut));
  await pruneFolder(folder, call, MOST_SESSION_BYTES);
  return `${PREFIX}${call}`;
}

/**
 * A workspace in which `output:<call>` opens a kept result, for reading only.
 * @param folder of the session
 */
export function readingOutputs(workspace: Workspace, folder: string): Workspace {
  return {
    ...workspace,
    async openFile(path) {
      const call = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : "";
      const handle = NAME.test(call) ? await openKept(join(folder, call)) : undefined;
      return handle === undefined ? await workspace.openFile(path) : { handle, name: path };
    },
  };
}

async function openKept(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
