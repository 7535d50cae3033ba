import { expect, test } from "vitest";
import { join } from "node:path";
import { run } from "../../scripts/_project.ts";
import { REPOSITORY } from "../programs.ts";

/** What a person may have to wait for it, once the packages are installed. */
const LIMIT_MS = 60_000;

test("scripts/demo tells the whole story within a minute and ends with demo: ok", async () => {
  const startMs = performance.now();
  const { code, output } = await run([join(REPOSITORY, "scripts/demo")]);
  expect(output.trimEnd().split("\n").at(-1), output).toBe("demo: ok");
  expect(code).toBe(0);
  expect(output).toContain("charter caveat violated: payee not allowed");
  expect(performance.now() - startMs).toBeLessThan(LIMIT_MS);
});
