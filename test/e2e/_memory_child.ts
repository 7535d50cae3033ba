/**
 * Remembers atoms in a log's file, one a transaction, and tells each that is durable on standard output.
 * Arguments: home, log, name, how many, and after how many it kills itself in the middle of the next.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { encodeAtom } from "#internal/memory/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";
import { atomOf } from "../memory/_atoms.ts";

const [home = "", log = "", name = "", count = "0", dies = ""] = process.argv.slice(2);
using store = openMemoryStores(home).open(log);
for (let n = 0; n < Number(count); n++) {
  const atom = encodeAtom(atomOf({ subject: `${name}-${n}`, at: [BigInt(n), 0n, 0n] }));
  if (`${n}` === dies) {
    // Within the transaction: the second atom is read once the first is written.
    const atoms = [atom, atom];
    Object.defineProperty(atoms, "entries", {
      *value() {
        yield [0, atom];
        process.kill(process.pid, "SIGKILL");
        yield [1, atom];
      },
    });
    store.append(atoms);
  }
  store.append([atom]);
  writeSync(1, `${n}\n`);
}
