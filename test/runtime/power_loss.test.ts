/**
 * Power is cut before each operation on files in turn, and the disk keeps nothing, everything or some
 * of what was not synced: what was acknowledged is there, and what was not is whole or absent.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { silentLogger, utf8, utf8Text } from "#internal/core/mod.ts";
import { createLedger, FileHasher } from "#internal/ledger/mod.ts";
import { genesisOf } from "#internal/proofs/mod.ts";
import {
  ensureFolder,
  pathExists,
  readFileIfThere,
  receiveFile,
  removeFile,
  renameFile,
  systemRandom,
  writeFileAtomic,
  writeNewFile,
} from "#internal/runtime/mod.ts";
import {
  openCredentials,
  openKeptFiles,
  openProfiles,
  openProfileTokens,
  openWallets,
} from "#internal/store/mod.ts";
import {
  checkedSkill,
  findSkill,
  grantSkill,
  installBundle,
  listSkills,
  NOTHING,
  packBundle,
  readBundle,
  removeSkill,
  writeInstructions,
} from "../../internal/agent/skills/mod.ts";
import type { DevnetFolder } from "../../internal/node/devnet_folder.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import { openStore } from "../../internal/node/restore.ts";
import { Random } from "../sim/random.ts";
import type { Kept } from "./_power_loss.ts";
import { Disk, onDisk } from "./_power_loss.ts";
import { share } from "../share.ts";

vi.mock("node:fs/promises", async (original) => {
  const { overDisk } = await import("./_power_loss.ts");
  return overDisk(await original());
});

/** No way of writing a file has more operations. */
const MOST_OPERATIONS = 400;
/** Seeds of what chance keeps, for each operation. */
const CHANCES = share(6);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-power-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface WriteRow {
  /** What was safe before. */
  readonly before?: () => Promise<unknown>;
  readonly write: (disk: Disk) => Promise<unknown>;
  /** Looks at what is there after power is back. @param acknowledged the write had returned. */
  readonly check: (acknowledged: boolean) => Promise<unknown>;
}

const read = async (name: string): Promise<string | undefined> => {
  const bytes = await readFileIfThere(join(folder, name));
  return bytes && utf8Text(bytes);
};
const SEED = new Uint8Array(32).fill(7);
const PROFILE = { name: "lead", wallet: "coder", agent: "d8".repeat(32), options: {} };
const TOKEN = { profile: "lead", agent: "d8".repeat(32), approve: false };
const tokens = () => openProfileTokens(folder, { random: systemRandom });
const CREDENTIAL = { name: "KEY", value: "a value", secret: true };
const credentials = () => openCredentials(join(folder, "home"), { random: systemRandom });
const large = "new".repeat(9_000);

/** A storage deal about `large`. */
const KEPT = {
  deal: "d1".repeat(32),
  size: BigInt(large.length),
  root: (() => {
    const hasher = new FileHasher();
    hasher.add(utf8(large));
    return hasher.end();
  })(),
};

const rows: Readonly<Record<string, WriteRow>> = {
  writeFileAtomic: {
    before: () => writeFileAtomic(join(folder, "a"), utf8("old")),
    write: () => writeFileAtomic(join(folder, "a"), utf8(large)),
    check: async (done) => expect(done ? [large] : ["old", large]).toContain(await read("a")),
  },
  writeNewFile: {
    write: () => writeNewFile(join(folder, "a"), utf8(large)),
    check: async (done) => expect(done ? [large] : [undefined, large]).toContain(await read("a")),
  },
  removeFile: {
    before: () => writeFileAtomic(join(folder, "a"), utf8("old")),
    write: () => removeFile(join(folder, "a")),
    check: async (done) =>
      expect(done ? [undefined] : ["old", undefined]).toContain(await read("a")),
  },
  renameFile: {
    before: async () => {
      await writeFileAtomic(join(folder, "a"), utf8("old"));
      await writeFileAtomic(join(folder, "b"), utf8(large));
    },
    write: () => renameFile(join(folder, "b"), join(folder, "a")),
    check: async (done) => expect(done ? [large] : ["old", large]).toContain(await read("a")),
  },
  "a large file, received over an older one": {
    before: () => writeFileAtomic(join(folder, "a"), utf8("old")),
    write: () => receiveFile(join(folder, "a"), inPieces(large), async () => {}),
    check: async (done) => expect(done ? [large] : ["old", large]).toContain(await read("a")),
  },
  ensureFolder: {
    write: () => ensureFolder(join(folder, "a/b/c")),
    check: async (done) => {
      if (done) expect(await pathExists(join(folder, "a/b/c"))).toBe(true);
      await ensureFolder(join(folder, "a/b/c"));
    },
  },
  "the first credentials, with their key, in a home that is not there yet": {
    write: () => credentials().keep(CREDENTIAL),
    check: async (done) => {
      const kept = await credentials().all();
      if (done) expect(kept).toEqual([CREDENTIAL]);
      await credentials().keep(CREDENTIAL);
      expect(await credentials().all()).toEqual([CREDENTIAL]);
    },
  },
  "another credential": {
    before: () => credentials().keep(CREDENTIAL),
    write: () => credentials().keep({ ...CREDENTIAL, name: "OTHER" }),
    check: async (done) => {
      const names = (await credentials().all()).map(({ name }) => name);
      expect(done ? [["KEY", "OTHER"]] : [["KEY"], ["KEY", "OTHER"]]).toContainEqual(names);
    },
  },
  "a profile, and another change of it": {
    before: () => openProfiles(folder).add(PROFILE),
    write: () =>
      openProfiles(folder).change("lead", (lead) => Promise.resolve({ ...lead, wallet: "new" })),
    check: async (done) => {
      const { wallet } = await openProfiles(folder).get("lead");
      expect(done ? ["new"] : ["coder", "new"]).toContain(wallet);
    },
  },
  "a profile's token": {
    before: () => tokens().add(TOKEN),
    write: () => tokens().add(TOKEN),
    check: async (done) => {
      expect(done ? [2] : [1, 2]).toContain((await tokens().list()).length);
    },
  },
  "a release of a skill, in the place of an older one": {
    before: async () => await installSkill("old"),
    write: async () => await installSkill("new"),
    check: async (done) => {
      const skill = await findSkill(skillsPlace(), "a-skill");
      await checkedSkill(skillsPlace(), skill);
      expect(done ? ["new"] : ["old", "new"]).toContain(skill.declaration.description);
    },
  },
  "a skill's grant": {
    before: async () => await installSkill("old"),
    write: () => grantSkill(skillsPlace(), "a-skill", { ...NOTHING, hosts: ["a.example"] }),
    check: async (done) => {
      const { granted: { hosts } } = await findSkill(skillsPlace(), "a-skill");
      expect(done ? [["a.example"]] : [[], ["a.example"]]).toContainEqual(hosts);
    },
  },
  "the removal of a skill": {
    before: async () => await installSkill("old"),
    write: () => removeSkill(skillsPlace(), "a-skill"),
    check: async (done) => {
      const listed = await listSkills(skillsPlace());
      expect(done ? [0] : [0, 1]).toContain(listed.length);
      expect(listed.filter((one) => "problem" in one)).toEqual([]);
    },
  },
  "instructions that an agent writes": {
    before: async () => await writeSkill("old"),
    write: async () => await writeSkill("new"),
    check: async (done) => {
      const { declaration: { description } } = await findSkill(skillsPlace(), "a-skill");
      expect(done ? ["new"] : ["old", "new"]).toContain(description);
    },
  },
  "a wallet's file, in a home that is not there yet": {
    write: () => openWallets(join(folder, "home")).keep("alice", SEED),
    check: async (done) => {
      const wallets = openWallets(join(folder, "home"));
      const found = await wallets.seed("alice");
      if (found === undefined) {
        expect(done).toBe(false);
        await wallets.keep("alice", SEED);
      }
      expect(await wallets.seed("alice")).toEqual(SEED);
    },
  },
  "a file that is kept under a storage deal": {
    write: () => openKeptFiles(folder).receive(KEPT, inPieces(large)),
    check: async (done) => {
      const kept = openKeptFiles(folder);
      if (done) expect(await kept.list()).toEqual([KEPT.deal]);
      // Where it is said to be here, it can be shown.
      for (const _deal of await kept.list()) expect(await kept.show(KEPT, [0n])).toHaveLength(1);
      await kept.receive(KEPT, inPieces(large));
      expect(await kept.show(KEPT, [26n])).toHaveLength(1);
    },
  },
  "a devnet's folder: keys, stores, genesis": {
    write: makeDevnet,
    check: async (done) => {
      const { folder: found, known } = await makeDevnet();
      if (done) expect(found.fresh).toBe(false);
      expect(known).toEqual([true, true]);
    },
  },
};

const skillsPlace = () => ({ home: join(folder, "home"), env: {} });
const skillText = (description: string): string =>
  `---\nname: a-skill\ndescription: ${description}\nmetadata:\n  sion-network: a.example\n---\nDo.\n`;

async function installSkill(description: string): Promise<void> {
  const files = [
    { path: "SKILL.md", bytes: utf8(skillText(description)), executable: false },
    { path: "scripts/a.sh", bytes: utf8(`echo ${description}`), executable: true },
  ];
  const bundle = await readBundle(packBundle(files), "a bundle");
  await installBundle(skillsPlace(), bundle, { source: "a", granted: NOTHING, nowMs: 1 });
}

async function writeSkill(description: string): Promise<void> {
  const text = skillText(description).replace(/metadata:\n.*\n/, "");
  await writeInstructions(skillsPlace(), { name: "a-skill", text, mayMake: true });
}

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 10_000) yield utf8(text.slice(at, at + 10_000));
}

/** No two are alike. */
let secrets = 0;

/** As a devnet starts: stores are made and named by their keys before the folder is whole. */
async function makeDevnet(
  disk?: Disk,
): Promise<{ readonly folder: DevnetFolder; readonly known: readonly boolean[] }> {
  const made = await openDevnetFolder({
    path: folder,
    shown: "~/d",
    shape: { insecureSignatures: true, validators: 2 },
    random: (n) => new Uint8Array(n).fill(++secrets),
    nowMs: 1_700_000_000_000,
  });
  const ledger = createLedger();
  const facts = genesisOf(made.genesis, ledger);
  const known = made.validators.map((place) => {
    const options = { place, fresh: made.fresh, shown: "~/d", logger: silentLogger };
    const opened = openStore(options, facts, ledger);
    opened.store[Symbol.dispose]();
    disk?.settle(dirname(place.database));
    return opened.known;
  });
  await made.complete();
  return { folder: made, known };
}

/** Runs a row's write with power cut at an operation; false once there are not so many. */
async function broken(row: WriteRow, at: number, kept: Kept): Promise<boolean> {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  await row.before?.();
  const disk = new Disk(folder, at);
  const [result] = await Promise.allSettled([onDisk(disk, () => row.write(disk))]);
  if (!disk.cut) expect(result.status).toBe("fulfilled");
  disk.lose(kept);
  await row.check(result.status === "fulfilled");
  return disk.cut;
}

describe("a power cut", () => {
  test.each(Object.entries(rows))(
    "%s survives one at every operation [L-606 L-611]",
    async (name, row) => {
      let at = 0;
      for (; at < MOST_OPERATIONS; at++) {
        const random = new Random(at, name);
        const kinds: Kept[] = ["nothing", "everything"];
        for (let i = 0; i < CHANCES; i++) kinds.push(() => random.chance(0.5));
        let cut = false;
        for (const kept of kinds) cut = await broken(row, at, kept);
        if (!cut) break;
      }
      expect(at).toBeGreaterThan(0);
      expect(at).toBeLessThan(MOST_OPERATIONS);
    },
  );

  test("a file that is not synced is lost: the disk of this suite loses it", async () => {
    const disk = new Disk(folder, 2);
    const { open } = await import("node:fs/promises");
    await onDisk(disk, async () => {
      const file = await open(join(folder, "a"), "wx");
      await file.writeFile("x");
      await file.close();
    });
    disk.lose("nothing");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the table of writes to files", () => {
  /** Who changes files by itself, and where that is shown to be safe. */
  const elsewhere: Readonly<Record<string, string>> = {
    "agent/hooks/session_hooks.ts": "a log of hooks that failed, that is only told",
    "agent/skills/change.ts": "removes what no record names any more; what it writes: here",
    "agent/web/pdf_text.ts": "a page for one command, gone after it",
    "agent/workspace/change.ts": "an agent's files: test/agent/workspace_change.test.ts",
    "agent/workspace/walk.ts": "makes folders on the way to an agent's files",
    "cli/doctor/left_over.ts": "removes what ended processes left",
    "cli/doctor/sandbox.ts": "removes the folder of its trial",
    "cli/sent_file.ts": "opens files to read them",
    "node/devnet.ts": "removes a folder that it made and did not finish",
    "node/devnet_folder.ts": "clears what a broken start left: here",
    "runtime/files.ts": "here",
    "runtime/named_pipes.ts": "what two processes that run pass through a pipe",
    "runtime/lock.ts": "a number that is only told, never trusted",
    "search/search_tree.ts": "opens files to read them",
    "search/tree_files.ts": "opens folders to read them",
    "sandbox/backends/_bubblewrap_sandbox.ts": "what a command sees, made anew for each session",
    "sandbox/backends/_docker_sandbox.ts": "what a command sees, made anew for each session",
    "sandbox/backends/_launched.ts": "removes a command's variables once it runs",
    "sandbox/backends/_starter.ts": "pipes of sandboxes that run, made anew for each session",
    "sandbox/backends/_session_space.ts": "what a command sees, made anew for each session",
    "sandbox/backends/_state_folder.ts": "what a command sees, made anew for each session",
    "sandbox/cgroup.ts": "the kernel's, not a disk's",
    "sandbox/run_command.ts": "the rest of a long output, which goes with its session",
    "store/database.ts": "SQLite's: test/store/write_points.test.ts",
    "store/kept_files.ts": "removes what is not kept any more; what it writes: here",
  };

  test("every source file that changes files is known, and every function of files.ts has a row", () => {
    const internal = fileURLToPath(new URL("../../internal/", import.meta.url));
    const changes =
      /\b(?:writeFile|rename|unlink|rm|mkdir|mkdirSync|openSync|appendFile|link|truncate)\b[^}]*\} from "node:fs/;
    const found = readdirSync(internal, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => changes.test(readFileSync(join(internal, name), "utf8")));
    expect(found.sort()).toEqual(Object.keys(elsewhere).sort());
    const files = readFileSync(join(internal, "runtime/files.ts"), "utf8");
    const exported = [...files.matchAll(/^export async function (\w+)/gm)].map(([, name]) => name);
    const reading = ["readFileIfThere", "readPrivateFile", "pathExists", "isTaken"];
    expect(exported.filter((name) => !reading.includes(name as string)).sort())
      .toEqual(Object.keys(rows).filter((name) => !name.includes(" ")).sort());
  });
});
