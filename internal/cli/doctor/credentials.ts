import { join } from "node:path";
import { SionError } from "#internal/core/mod.ts";
import { isTaken, renameFile, systemKeyring } from "#internal/runtime/mod.ts";
import { openCredentials } from "#internal/store/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check, Repair } from "./_check.ts";
import { failed, fine } from "./_check.ts";

/** Kept keys open with the key that they are encrypted under. */
export const credentials: Check = {
  name: "credentials",
  ofAgents: true,
  async run({ home, env, random, shown }) {
    const keyring = await systemKeyring(env);
    try {
      const kept = await openCredentials(home, { random, keyring, shown }).all();
      return fine(
        kept.length === 0 ? "none is kept" : `${kept.length} kept, and they open`,
      );
    } catch (error) {
      const { what, fix } = shownSentence(error);
      const repairs = await lostKey(error, home, shown);
      return failed(what, repairs.length === 0 ? fix : `${fix}; --fix puts it aside`, repairs);
    }
  },
};

/**
 * What nobody can open without its key is put aside, so that keys can be kept again: nothing is made
 * up in the place of a key, and nothing is thrown away.
 */
async function lostKey(
  error: unknown,
  home: string,
  shown: (path: string) => string,
): Promise<readonly Repair[]> {
  const isLocked = error instanceof SionError && error.code === "credentials-locked";
  const path = join(home, "agents", "credentials.bin");
  if (!isLocked || await isTaken(join(home, "agents", "credentials.key"))) return [];
  if (/keyring/i.test(error.message)) return [];
  let aside = `${path}.no-key`;
  for (let n = 2; await isTaken(aside); n++) aside = `${path}.no-key-${n}`;
  return [{
    does: `put ${shown(path)} aside as ${shown(aside)}, since its key file is gone`,
    run: () => renameFile(path, aside),
  }];
}
