/**
 * `scripts/fuzz [--inputs N] [--seed S] [NAME]`: feeds each decoder of what comes from outside, or those
 * whose name has the word, mutated, cut, oversized, spliced and random input. The same seed is the same
 * input. Exit code 1 at the first that a decoder does wrong by, 2 for bad usage.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { fuzz } from "../test/fuzz/_decoder.ts";
import { DECODERS } from "../test/fuzz/_registry.ts";
import { wholeNumber } from "./_whole_number.ts";

const DEFAULT_INPUTS = 20_000;
/** Places at which a sample is cut, and given extreme lengths. */
const PLACES = 4_000;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { inputs: { type: "string" }, seed: { type: "string" } },
    allowPositionals: true,
  });
  const inputs = wholeNumber("inputs", values.inputs, DEFAULT_INPUTS);
  const seed = wholeNumber("seed", values.seed, 1);
  const [word = ""] = positionals;
  const chosen = DECODERS.filter(({ name }) => name.includes(word));
  if (chosen.length === 0) throw new RangeError(`no decoder has ${word} in its name`);
  for (const of of chosen) {
    try {
      await fuzz(of, seed, { places: PLACES, inputs });
    } catch (error) {
      console.log(error instanceof Error ? error.message : String(error));
      return 1;
    }
    console.log(`${of.name}: stands`);
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
