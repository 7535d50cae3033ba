import { expect, test } from "vitest";
import { join } from "node:path";
import { run } from "../../scripts/_project.ts";
import { REPOSITORY } from "../programs.ts";

test("scripts/demo tells the whole story and ends with demo: ok", async () => {
  const { code, output } = await run([join(REPOSITORY, "scripts/demo")]);
  expect(output.trimEnd().split("\n").at(-1), output).toBe("demo: ok");
  expect(code).toBe(0);
  expect(output).toContain("charter caveat violated: payee not allowed");
});
