/** The formats in which runners of tests print. A new one is a file and a line here. */
import type { TestCounts, TestFormat } from "./_format.ts";
import { cargo } from "./cargo.ts";
import { go } from "./go.ts";
import { jest } from "./jest.ts";
import { mocha } from "./mocha.ts";
import { nodeTest } from "./node_test.ts";
import { pytest } from "./pytest.ts";
import { unittest } from "./unittest.ts";

export type { TestCounts } from "./_format.ts";

const testFormats: readonly TestFormat[] = [cargo, go, jest, mocha, nodeTest, pytest, unittest];

/** What an output says of tests, whichever runner printed it: one command may run several. */
export function readTests(output: string): TestCounts | undefined {
  const found = testFormats.flatMap((format) => format.read(output) ?? []);
  if (found.length === 0) return undefined;
  return {
    passed: found.reduce((sum, { passed }) => sum + passed, 0),
    failed: found.reduce((sum, { failed }) => sum + failed, 0),
    failures: [...new Set(found.flatMap(({ failures }) => failures))],
  };
}
