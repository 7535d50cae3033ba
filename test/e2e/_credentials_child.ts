/**
 * Keeps credentials one after the other until it is killed, and tells each that is durable.
 * Arguments: home, name's beginning, how many.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { systemRandom } from "#internal/runtime/mod.ts";
import { openCredentials } from "#internal/store/mod.ts";

const [home = "", name = "", count = "0"] = process.argv.slice(2);
const credentials = openCredentials(home, { random: systemRandom });
for (let n = 1; n <= Number(count); n++) {
  const value = `${name} value ${n} `.repeat(40);
  await credentials.keep({ name: `${name}_${n % 5}`, value, secret: true });
  writeSync(1, `${name}_${n % 5}=${n}\n`);
}
