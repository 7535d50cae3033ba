/** Several hundred runs about contested slots; `scripts/sim` runs as many as asked. */
import { describe } from "vitest";
import { runSeeds } from "./_seeds.ts";

describe("a network with contested slots", () => runSeeds({ first: 1, count: 150 }));
