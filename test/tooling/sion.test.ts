/** `scripts/sion` runs the source as it is now, by a bundle that it makes only when it must. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, run } from "../../scripts/_project.ts";

let clone = "";
const sion = (...args: string[]) => run([join(clone, "scripts/sion"), ...args], { cwd: "/" });
const part = (text: string): void =>
  writeFileSync(join(clone, "internal/part.ts"), `export const part = ${JSON.stringify(text)};\n`);

/** A time before every write of this test, so that nothing here waits for a clock to tick. */
async function age(...paths: readonly string[]): Promise<void> {
  await run(["touch", "-d", "2 minutes ago", ...paths.map((path) => join(clone, path))]);
}

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), "sion-source-"));
  for (const name of ["scripts", "package.json", "package-lock.json"]) {
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
  mkdirSync(join(clone, "cmd/sion"), { recursive: true });
  mkdirSync(join(clone, "internal"));
  writeFileSync(
    join(clone, "cmd/sion/main.ts"),
    `import process from "node:process";
void import("../../internal/part.ts").then(({ part }) => {
  console.log(part, process.cwd(), ...process.argv.slice(2));
  if (process.argv[2] === "throw") throw new Error("thrown");
});
`,
  );
  part("one");
  await age("package-lock.json", "scripts/_bundle.ts", "cmd/sion/main.ts", "internal/part.ts");
});

afterAll(() => rmSync(clone, { recursive: true, force: true }));

test("scripts/sion runs the source in the caller's folder with its arguments", async () => {
  expect(await sion("a b", "--c")).toMatchObject({ code: 0, output: "one / a b --c\n" });
});

test("scripts/sion makes no second bundle of the same source", async () => {
  await sion();
  const made = join(clone, ".cache/source/made");
  const before = readFileSync(join(clone, ".cache/source/sion.js"), "utf8");
  writeFileSync(join(clone, ".cache/source/sion.js"), "console.log('kept');\n");
  expect(await sion()).toMatchObject({ output: "kept\n" });
  writeFileSync(join(clone, ".cache/source/sion.js"), before);
  expect(readFileSync(made, "utf8")).toBe("");
});

test("scripts/sion runs what was changed, and leaves the parts of programs that still run", async () => {
  await sion();
  await age(".cache/source/made");
  const parts = join(clone, ".cache/source/parts");
  const before = readdirSync(parts);
  part("two");
  expect(await sion()).toMatchObject({ code: 0, output: "two /\n" });
  expect(readdirSync(parts)).toEqual(expect.arrayContaining(before));
});

test("scripts/sion started at once after a change all run the change", async () => {
  await age(".cache/source/made");
  part("three");
  const outputs = await Promise.all([sion(), sion(), sion()]);
  expect(outputs.map(({ output }) => output)).toEqual(Array(3).fill("three /\n"));
});

test("scripts/sion names the source's line where a program throws", async () => {
  const { code, output } = await sion("throw");
  expect(code).toBe(1);
  expect(output).toContain("cmd/sion/main.ts:4");
});

test("scripts/sion says where the source does not compile and starts nothing", async () => {
  await age(".cache/source/made");
  writeFileSync(join(clone, "internal/part.ts"), "export const part = ;\n");
  const { code, output, stdout } = await sion();
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(output).toContain("internal/part.ts:1:20");
  expect(output).toMatch(/error: the source does not compile: see above\n$/);
  part("four");
  expect(await sion()).toMatchObject({ code: 0, output: "four /\n" });
});
