import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { filesBelow } from "../../scripts/_project.ts";

test("zod is imported as a namespace, so that bundles leave out what of it nothing uses", () => {
  const files = ["internal", "cmd"].flatMap((folder) => filesBelow(folder, ".ts"));
  const named = files.filter((file) =>
    /^import (type )?\{.*\} from "zod(\/mini)?";$/m.test(readFileSync(file, "utf8"))
  );
  expect(files.length).toBeGreaterThan(300);
  expect(named).toEqual([]);
});
