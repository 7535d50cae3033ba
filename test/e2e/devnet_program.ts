/** A devnet as a program of its own, to be killed: `<folder> <insecure|real>`. */
import process from "node:process";
import { silentLogger, stringifyJson } from "#internal/core/mod.ts";
import { startDevnet } from "#internal/node/mod.ts";

const [, , dir = "", signatures] = process.argv;
const devnet = await startDevnet({
  dir,
  port: 0,
  insecureSignatures: signatures === "insecure",
  logger: silentLogger,
});
devnet.fault.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
console.log(stringifyJson({ chain: devnet.chain, url: devnet.url }));
