import { expect, test } from "vitest";
import { duplicateVersions, unpinnedVersions } from "../../scripts/_check_versions.ts";

test("duplicateVersions() names a production package that is locked twice, and no other", () => {
  const found = duplicateVersions({
    packages: {
      "": { version: "0.1.0" },
      "node_modules/zod": { version: "4.6.7" },
      "node_modules/a/node_modules/zod": { version: "3.1.0" },
      "node_modules/hono": { version: "4.0.0" },
      "node_modules/b/node_modules/hono": { version: "4.0.0" },
      "node_modules/chalk": { version: "5.0.0", dev: true },
      "node_modules/c/node_modules/chalk": { version: "4.0.0", dev: true },
    },
  });
  expect(found).toEqual(["zod is locked in 2 versions: 4.6.7, 3.1.0"]);
});

test("unpinnedVersions() names a range and admits one exact version", () => {
  const found = unpinnedVersions({
    dependencies: { zod: "4.6.7", hono: "^4.0.0" },
    devDependencies: { knip: "latest" },
    optionalDependencies: undefined,
  });
  expect(found).toEqual([
    "hono is ^4.0.0 in package.json: pin one version",
    "knip is latest in package.json: pin one version",
  ]);
});

test("duplicateVersions() and unpinnedVersions() find nothing in this project", () => {
  expect([...duplicateVersions(), ...unpinnedVersions()]).toEqual([]);
});
