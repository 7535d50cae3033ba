/** Several hundred runs with all faults in all combinations; `scripts/sim` runs as many as asked. */
import { describe } from "vitest";
import { runSeeds } from "./_seeds.ts";

describe("a network under faults", () => runSeeds({ first: 2, count: 150 }));
