import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platformName } from "#internal/runtime/mod.ts";
import { openSandbox, SandboxError } from "#internal/sandbox/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

const SETTINGS = {
  sandbox: "bwrap",
  network: "none",
  read: [],
  timeMs: 4_000,
  memoryBytes: 1 << 30,
};

/** bubblewrap runs a trial command, in folders of its own. */
export const sandbox: Check = {
  name: "sandbox",
  ofAgents: true,
  async run({ env, random }) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "sion-doctor-")));
    try {
      const machine = { env, random, home: join(folder, "home") };
      await using _opened = await openSandbox(SETTINGS, folder, machine);
      return fine("bubblewrap runs a trial command");
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const { what, fix } = shownSentence(error);
      return platformName().startsWith("linux") ? failed(what, fix) : look(what, fix);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
