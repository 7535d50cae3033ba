/**
 * `scripts/build [npm|standalone|all]`: what is published, into dist/. Each result is a line; what
 * could not be made on this machine is said, and why. Exit code 1 when a step failed, 2 for bad usage.
 */
import process from "node:process";
import { programNames } from "./_bundle.ts";
import { buildNpm, packNpm } from "./_build_npm.ts";
import {
  buildDenoExecutable,
  buildNodeExecutable,
  type Built,
  megabytes,
  STANDALONE,
} from "./_build_standalone.ts";
import { readWords } from "./_words.ts";

const TARGETS = ["npm", "standalone", "all"] as const;

function tell(name: string, built: Built): void {
  if ("file" in built) console.log(`${name}: ${built.file} (${megabytes(built.file)})`);
  else console.log(`${name}: not built: ${built.notBuilt}`);
}

async function main(target: string): Promise<number> {
  if (!TARGETS.some((known) => known === target)) {
    console.error(`error: nothing to build is named ${target}: there are ${TARGETS.join(", ")}`);
    return 2;
  }
  if (programNames().length === 0) {
    console.error("error: there is no program to build in cmd/");
    return 1;
  }
  if (target !== "standalone") {
    console.log(`npm: ${await buildNpm()}`);
    tell("npm package", { file: await packNpm() });
  }
  if (target !== "npm") {
    for (const name of STANDALONE) {
      tell("single executable by Node", await buildNodeExecutable(name));
      tell("single executable by Deno", await buildDenoExecutable(name));
    }
  }
  return 0;
}

const { rest: [target = "all"] } = readWords({
  usage: "scripts/build [npm|standalone|all]",
  about: ["Makes what is published, into dist/: the npm package, the single executables, or all."],
  most: 1,
});
try {
  process.exitCode = await main(target);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
