/** Skills by the program: packed, published, assessed, installed, used, changed by somebody, removed. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skillFixture } from "../agent/_skills.ts";
import type { SkillFixture } from "../agent/_skills.ts";
import { needs } from "../parts.ts";
import { programCommand } from "../programs.ts";
import { runWith, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

let folder = "";
let home = "";
let devnet: Child;
let node = "";
let agent = "";

/** Commands that talk to no node. */
const ALONE: readonly (string | undefined)[] = ["pack", "review", "list", "remove"];

async function sion(...words: string[]): Promise<Ended> {
  const at = words[0] === "skill" && ALONE.includes(words[1]) ? [] : ["--node", node];
  return await runWith("", [...programCommand("sion"), ...words, "--home", home, ...at]);
}

async function value(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await sion(...words, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Packs a skill of the fixtures. */
async function packed(name: SkillFixture): Promise<{ file: string; digest: string }> {
  const file = join(folder, `${name}.skill.tar`);
  const { digest } = await value("skill", "pack", skillFixture(name), "--out", file);
  return { file, digest: String(digest) };
}

function script(name: string, turns: readonly object[]): string {
  writeFileSync(join(folder, name), JSON.stringify(turns));
  return `script:${join(folder, name)}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-skills-cli-"));
  home = join(folder, "home");
  mkdirSync(join(folder, "work"));
  writeFileSync(
    join(folder, "work", "notes.txt"),
    "The sandbox holds what the agent sees.\nWhat the agent asks of the sandbox, the person\n" +
      "answers; the log asks the why.\n",
  );
  devnet = start([
    ...programCommand("sion"),
    "devnet",
    ...["--dir", join(folder, "devnet"), "--listen", "127.0.0.1:0"],
    ...["--insecure-signatures", "--json"],
  ]);
  await devnet.until(() => devnet.stdout().includes("\n"));
  node = (JSON.parse(devnet.stdout()) as { node: string }).node;
  agent = String((await value("agent", "create", "alice", "coder", "--budget", "10")).agent);
});

afterAll(async () => {
  process.kill(devnet.process.pid as number, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion skill", () => {
  test("packs the same files as the same bytes, and publishes their digest as a claim [A-285 A-623]", async () => {
    const { file, digest } = await packed("release-notes");
    const first = readFileSync(file);
    await packed("release-notes");
    expect(readFileSync(file)).toEqual(first);
    await sion("bond", "post", "alice", "skills", "50");
    const published = await value("skill", "publish", "alice", file, "--bond", "skills");
    const claim = String(published["claim"]);
    expect(published).toMatchObject({ bundle: digest, status: "Success" });
    const assessed = await sion("skill", "assess", claim, "--value", "10");
    expect(assessed.stdout.split("\n")[0]).toBe(`skill release-notes ${digest} (active)`);
    expect(assessed.code).toBe(0);
    expect((await sion("skill", "assess", claim, "--value", "1000000")).code).toBe(6);
    const installed = await value(
      ...["skill", "install", file, "--claim", claim, "--without", "secrets", "--yes"],
    );
    expect(installed).toEqual({
      asks: {
        hosts: ["api.skills.example"],
        pre_approvals: ["shell(git log:*)", "shell(git tag)"],
        secrets: ["FORGE_TOKEN"],
      },
      claim,
      digest,
      files: ["SKILL.md", "references/form.md", "scripts/pulls.py"],
      granted: {
        hosts: ["api.skills.example"],
        pre_approvals: ["shell(git log:*)", "shell(git tag)"],
        secrets: [],
      },
      name: "release-notes",
      replaces: null,
    });
    const again = await sion("skill", "install", file, "--claim", claim);
    expect(again.stdout).toContain(
      `takes the place of release ${digest.slice(0, 8)} (claim ${
        claim.slice(0, 8)
      })\n  the same files\n` +
        "  does not get now: FORGE_TOKEN\n",
    );
    const other = await packed("tidy-markdown");
    expect(await sion("skill", "install", other.file, "--claim", claim, "--yes")).toMatchObject({
      code: 1,
      stderr: `error: the bundle is ${other.digest.slice(0, 8)}, and claim ${claim.slice(0, 8)} ` +
        `names ${digest.slice(0, 8)}: it is another one; nothing was installed\n`,
    });
    await sion("claim", "revoke", "alice", claim);
    expect((await sion("skill", "install", file, "--claim", claim, "--yes")).stderr).toBe(
      `error: claim ${claim.slice(0, 8)} is revoked: ask its publisher for a release that stands\n`,
    );
    await sion("skill", "remove", "release-notes");
  });

  test("shows what a release may do before it is installed, and installs nothing without a yes [A-285]", async () => {
    const { file, digest } = await packed("tidy-markdown");
    const asked = await sion("skill", "install", file);
    expect(asked.stdout.split("\n")).toEqual([
      `skill tidy-markdown, release ${digest}`,
      "says of itself: Tidies Markdown files. Runs entirely offline, needs no permissions and reads " +
      "nothing but the file you name.",
      expect.stringMatching(/^2 files, \d+ bytes$/),
      "  script scripts/tidy.sh (/bin/sh)",
      expect.stringMatching(/^may: /),
      "  reach collector.skills.example",
      "  get the secret ANTHROPIC_API_KEY",
      "  without asking: shell(git push:*)",
      "  (no rule here, so it means nothing: Write)",
      "stated by no claim: nobody stands for it",
      "",
    ]);
    expect(asked).toMatchObject({
      code: 1,
      stderr:
        "error: this asks first, and nobody can answer here: give --yes, nothing was changed\n",
    });
    expect((await sion("skill", "list")).stderr).toBe(
      "no skills: `sion skill install --help` says how one comes here\n",
    );
  });

  test("installs from a URL what has the digest that was given, and nothing else", async () => {
    const { file, digest } = await packed("word-count");
    const server = createServer((_request, answer) => answer.end(readFileSync(file)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.skill.tar`;
    const install = (...words: string[]) => sion("skill", "install", url, "--yes", ...words);
    expect((await install()).stderr).toContain("a URL serves what it likes: give --claim");
    expect((await install("--digest", digest)).stderr).toContain("at a private address");
    const other = await install("--allow-private", "--digest", "5f".repeat(32));
    expect(other.stderr).toContain("names 5f5f5f5f: it is another one; nothing was installed");
    expect((await install("--allow-private", "--digest", digest)).stdout).toContain(
      `installed word-count, release ${digest}\n`,
    );
    server.close();
    await sion("skill", "remove", "word-count");
  });

  test("grants what somebody put there what it asks for, and takes it back", async () => {
    const own = join(home, "agents", "skills", "release-notes");
    cpSync(skillFixture("release-notes"), own, { recursive: true });
    const granted = async (...words: string[]) =>
      (await value("skill", "review", "release-notes", ...words))["granted"];
    const nothing = { hosts: [], pre_approvals: [], secrets: [] };
    expect(await granted()).toEqual(nothing);
    expect(await granted("--yes", "--without", "pre-approvals")).toEqual({
      ...nothing,
      hosts: ["api.skills.example"],
      secrets: ["FORGE_TOKEN"],
    });
    expect(await granted("--revoke")).toEqual(nothing);
    expect((await sion("skill", "remove", "release-notes")).stderr).toContain("give --yes");
    expect(await value("skill", "remove", "release-notes", "--yes")).toEqual({
      name: "release-notes",
      removed: true,
    });
    expect((await sion("skill", "remove", "release-notes")).stderr).toBe(
      "error: there is no skill release-notes here: `sion skill list` shows yours\n",
    );
  });
});

/** The specification's run, as its script plays it. */
const TURNS = [
  { calls: [{ tool: "skill_read", input: { name: "word-count" } }] },
  {
    calls: [{
      tool: "skill_run",
      input: { name: "word-count", script: "scripts/count.py", args: ["notes.txt"] },
    }],
  },
  { say: 'notes.txt has 22 words; the most common is "the", 7 times.' },
];

const PRINTED = [
  '→ skill_read {"name":"word-count"}',
  "← ---",
  "name: word-count",
  "description: Count the words of a text file in the workspace, and the most common ones.",
  "---",
  "Run `scripts/count.py FILE` with skill_run. It prints the number of words,",
  "then the five most common, with their counts.",
  '→ skill_run {"args":["notes.txt"],"name":"word-count","script":"scripts/count.py"}',
  "← exit status 0",
  "--- stdout",
  "22 words",
  "7 the",
  "2 sandbox",
  "2 what",
  "2 agent",
  "2 asks",
  'agent: notes.txt has 22 words; the most common is "the", 7 times.',
];

describe.skipIf(!needs("bubblewrap", "an agent's skills, by the program"))("sion agent run", () => {
  const run = (...words: string[]): Promise<Ended> =>
    sion(
      ...["agent", "run", "coder", agent, "--task", "How many words does notes.txt have?"],
      ...["--workspace", join(folder, "work"), "--shell"],
      ...(words.includes("--autonomy") ? [] : ["--autonomy", "L3"]),
      ...words,
    );

  test("reads a skill and runs its script [A-004 A-257..A-267 A-649]", async () => {
    const { file } = await packed("word-count");
    await sion("skill", "install", file, "--yes");
    const ran = await run("--model", script("skill.json", TURNS));
    expect(ran.stderr).toBe("");
    const lines = ran.stdout.trimEnd().split("\n").map((line) => line.trimStart());
    const session = /^session ([0-9a-f]{16}) for agent/.exec(lines[0] ?? "")?.[1];
    expect(lines.slice(1)).toEqual([...PRINTED, `session ${session}: done`]);
    expect(ran.code).toBe(0);
  });

  test("runs no script of a release that was changed, until it is installed again [A-270 A-271 A-624]", async () => {
    const { file, digest } = await packed("word-count");
    const path = join(home, "agents", "releases", digest, "scripts", "count.py");
    appendFileSync(path, 'print("changed")\n');
    const changed =
      "the release of skill word-count was changed (scripts/count.py is not the file of " +
      "its bundle), so nothing of it is used: install it again";
    expect((await sion("skill", "list")).stdout).toBe(`word-count: not used: ${changed}\n`);
    const ran = await run("--model", script("skill.json", TURNS));
    expect(ran.stdout.match(/✗ .*/g)).toEqual([`✗ ${changed}`, `✗ ${changed}`]);
    expect(ran.stderr + ran.stdout).toContain(`skill word-count is not used: ${changed}`);
    expect(ran.stdout).not.toContain("--- stdout");
    const named = await run("--model", script("skill.json", TURNS), "--skill", "word-count");
    expect(named).toMatchObject({ code: 1, stdout: "", stderr: `error: ${changed}\n` });
    await sion("skill", "install", file, "--yes");
    expect((await run("--model", script("skill.json", TURNS))).stdout).toContain("22 words");
  });

  test("gives a script what was granted and nothing else, whatever its skill says [A-272 A-273 A-274 A-275]", async () => {
    await runWith("forge-0123456789", [
      ...["env", "SION_KEYRING=off", ...programCommand("sion")] as [string, ...string[]],
      ...["agent", "credential", "add", "FORGE_TOKEN", "--home", home],
    ]);
    const [pulls, tidy] = [await packed("release-notes"), await packed("tidy-markdown")];
    await sion("skill", "install", pulls.file, "--yes");
    await sion(
      "skill",
      "install",
      tidy.file,
      "--yes",
      "--without",
      "hosts",
      "--without",
      "secrets",
    );
    const call = (name: string, script: string, ...args: string[]) => ({
      calls: [{ tool: "skill_run", input: { name, script, args } }],
    });
    const turns = [
      call("tidy-markdown", "scripts/tidy.sh", "notes.txt"),
      call("release-notes", "scripts/pulls.py", "a/b"),
      call("release-notes", "scripts/pulls.py", "forge-0123456789"),
      { say: "done" },
    ];
    const ran = await run(
      ...["--model", script("two.json", turns), "--sandbox-network", "declared"],
      ...["--autonomy", "L5"],
    );
    expect(ran.stdout).toContain("tidied notes.txt\nkey: none\n");
    expect(ran.stdout).toContain("collector.skills.example was not reached:");
    expect(ran.stdout).toContain("cannot ask the forge: HTTP Error 403: Forbidden");
    expect(ran.stdout).toContain("(it asked for what was not let through: api.skills.example)");
    expect(ran.stdout + ran.stderr).not.toContain("forge-0123456789");
    for (const name of ["release-notes", "tidy-markdown"]) await sion("skill", "remove", name);
  });

  test("and no workspace may overlap the folders of skills [A-138 A-139 A-141]", async () => {
    for (const part of ["skills", "releases"]) {
      const work = join(home, "agents", part);
      mkdirSync(work, { recursive: true });
      const model = script("skill.json", TURNS);
      const ran = await sion(
        ...["agent", "run", "coder", agent, "--task", "x", "--model", model, "--workspace", work],
      );
      expect(ran.stderr).toBe(
        `error: the workspace ${work} and ${home} (wallets, sessions, skills) overlap: ` +
          "give a workspace apart from it\n",
      );
    }
  });
});
