/** The shell scripts at the repository's edge: which Node they take, when they install, what they say. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ROOT, run } from "../../scripts/_project.ts";

const made: string[] = [];
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** A clone with `scripts/probe`, which prints the Node that was picked, and programs put on PATH. */
function makeClone(programs: Readonly<Record<string, string>>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sion-clone-")));
  made.push(folder);
  mkdirSync(join(folder, "scripts"));
  mkdirSync(join(folder, "path"));
  cpSync(join(ROOT, "scripts/lib.sh"), join(folder, "scripts/lib.sh"));
  cpSync(join(ROOT, "package-lock.json"), join(folder, "package-lock.json"));
  program(
    folder,
    "scripts/probe",
    '. "$(dirname "$(readlink -f "$0")")/lib.sh"\nnode --version; pwd',
  );
  for (const [name, body] of Object.entries(programs)) program(folder, `path/${name}`, body);
  // Only what a minimal system has, so that this machine's Node and npm stay out of sight.
  for (
    const name of [
      "cat",
      "cksum",
      "dirname",
      "ln",
      "mkdir",
      "readlink",
      "rm",
      "sh",
      "sleep",
      "touch",
      "uname",
    ]
  ) symlinkSync(realpathSync(join("/usr/bin", name)), join(folder, "path", name));
  return {
    folder,
    probe: (options: { cwd?: string; program?: string } = {}) =>
      run([options.program ?? join(folder, "scripts/probe")], {
        cwd: options.cwd ?? "/",
        env: { PATH: join(folder, "path") },
      }),
  };
}

function program(folder: string, name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** An npm that notes each call and makes an empty folder of packages. */
const NPM = `echo "$@" >>"\${0%/*}/../calls"; mkdir -p node_modules`;
const NODE_24 = "echo v24.15.0";

test("scripts install once, with npm ci and no install scripts, and say so on stderr", async () => {
  const clone = makeClone({ npm: NPM, node: NODE_24 });
  const first = await clone.probe();
  expect(first).toMatchObject({
    code: 0,
    output: "Installing the packages of package-lock.json (once) ...\nv24.15.0\n/\n",
  });
  expect(await clone.probe()).toMatchObject({ code: 0, output: "v24.15.0\n/\n" });
  const calls = readFileSync(join(clone.folder, "calls"), "utf8");
  expect(calls).toMatch(/^ci --ignore-scripts [^\n]*\n$/);
});

test("scripts install again when the lockfile's content changed, not when it was only touched", async () => {
  const clone = makeClone({ npm: NPM, node: NODE_24 });
  const lockfile = join(clone.folder, "package-lock.json");
  const calls = () => readFileSync(join(clone.folder, "calls"), "utf8").trim().split("\n").length;
  await clone.probe();
  const future = new Date(Date.now() + 60_000);
  writeFileSync(lockfile, readFileSync(lockfile));
  await run(["touch", "-d", future.toISOString(), lockfile]);
  await clone.probe();
  expect(calls()).toBe(1);
  writeFileSync(lockfile, "{}");
  await run(["touch", "-d", new Date(Date.now() + 120_000).toISOString(), lockfile]);
  await clone.probe();
  expect(calls()).toBe(2);
});

test("scripts never install into packages that are linked from another checkout", async () => {
  const clone = makeClone({ npm: NPM, node: NODE_24 });
  mkdirSync(join(clone.folder, "theirs"));
  symlinkSync("theirs", join(clone.folder, "node_modules"));
  const { code, output } = await clone.probe();
  expect(code).toBe(1);
  expect(output).toMatch(
    /^error: the packages in .*node_modules, a link, are not .*: remove .*\n$/,
  );
  expect(existsSync(join(clone.folder, "calls"))).toBe(false);
});

test("scripts started at once install once", async () => {
  const clone = makeClone({ npm: `${NPM}; sleep 0.3`, node: NODE_24 });
  const runs = await Promise.all([clone.probe(), clone.probe(), clone.probe()]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(readFileSync(join(clone.folder, "calls"), "utf8").trim().split("\n")).toHaveLength(1);
});

test("scripts install although a killed install left its lock", async () => {
  const clone = makeClone({ npm: NPM, node: NODE_24 });
  mkdirSync(join(clone.folder, ".cache"));
  symlinkSync("999999999", join(clone.folder, ".cache/installing"));
  expect((await clone.probe()).code).toBe(0);
});

test("scripts work through a symbolic link and from any folder", async () => {
  const clone = makeClone({ npm: NPM, node: NODE_24 });
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "sion-else where-")));
  made.push(elsewhere);
  symlinkSync(join(clone.folder, "scripts/probe"), join(elsewhere, "link"));
  symlinkSync("link", join(elsewhere, "link of link"));
  const { code, output } = await clone.probe({
    cwd: elsewhere,
    program: join(elsewhere, "link of link"),
  });
  expect(code).toBe(0);
  expect(output).toMatch(new RegExp(`v24\\.15\\.0\n${elsewhere}\n$`));
});

test("scripts say in one line that the machine's Node is too old, missing or strange", async () => {
  const run = async (programs: Record<string, string>) => {
    const { code, output } = await makeClone({ npm: NPM, ...programs }).probe();
    return { code, line: output.split("\n").slice(1).join("\n") };
  };
  expect(await run({ node: "echo v20.20.2" })).toEqual({
    code: 1,
    line: "error: sion needs Node 24 or newer on this system, and PATH has v20.20.2: install it\n",
  });
  expect(await run({})).toEqual({
    code: 1,
    line:
      "error: sion needs Node 24 or newer on this system, and there is none on PATH: install it\n",
  });
  expect((await run({ node: "echo what" })).code).toBe(1);
});

test("scripts say in one line that npm is missing or failed, and do not go on", async () => {
  expect(await makeClone({ node: NODE_24 }).probe()).toMatchObject({
    code: 1,
    output:
      "error: sion needs npm (it comes with Node) to install its packages: install Node 20 or newer\n",
  });
  const failing = makeClone({ node: NODE_24, npm: "echo no network >&2; exit 1" });
  const { code, output } = await failing.probe();
  expect(code).toBe(1);
  expect(output).toMatch(/no network\nerror: cannot install the packages [^\n]+\n$/);
  expect((await failing.probe()).code).toBe(1);
});

test("scripts say in one line that a first install needs a network", async () => {
  const offline = `echo "npm error code EAI_AGAIN" >&2; echo "npm error errno -3" >&2; exit 1`;
  const { code, output } = await makeClone({ node: NODE_24, npm: offline }).probe();
  expect([code, output.split("\n").slice(1)]).toEqual([1, [
    "error: npm cannot reach its registry, and sion's packages are not installed yet: " +
    "run this once with a network",
    "",
  ]]);
});

test.each(["demo", "test", "check", "build", "bench", "parts", "record-docs", "sim"])(
  "scripts/%s has help, and refuses an option that it does not know",
  async (name) => {
    const help = await run([join(ROOT, "scripts", name), "--help"]);
    expect([help.code, help.output.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(`^scripts/${name}( |$)`),
    ]);
    const refused = await run([join(ROOT, "scripts", name), "--bogus"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.output).toMatch(/^error: [^\n]*--bogus[^\n]*\n$/);
  },
);

test("what scripts print to a pipe has no escape byte, in CI too", async () => {
  const ran = await run([join(ROOT, "scripts/test"), "tooling/versions"], {
    env: { CI: "true", FORCE_COLOR: "" },
  });
  expect(ran.code).toBe(0);
  expect(ran.output).not.toContain("\x1b");
});

test("scripts/test ends with the counts alone on the last line", async () => {
  const { code, output } = await run([join(ROOT, "scripts/test"), "tooling/versions"]);
  expect(output.trimEnd().split("\n").at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
  expect(code).toBe(0);
});

test("scripts/test fails when no test ran", async () => {
  const { code, output } = await run([join(ROOT, "scripts/test"), "no such test"]);
  expect(output.trimEnd().split("\n").at(-1)).toBe("0 passed, 1 failed");
  expect(code).toBe(1);
});

test("scripts/parts refuses a part it does not know and names those it does", async () => {
  const { code, output } = await run([join(ROOT, "scripts/parts"), "bubblwrap"]);
  expect(code).toBe(2);
  expect(output).toMatch(/^error: no part is named bubblwrap: there are bubblewrap, /);
});
