/**
 * Writes to a validator's store and kills itself with SIGKILL at a point that is told: before a write,
 * in the middle of its transaction, or after it. Each write that returned is told on standard output.
 * Arguments: folder, `commitOwn` or `commitPulse`, `before`, `within` or `after`, number of the write.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { openNodeState } from "#internal/store/mod.ts";

const [folder = "", method, when, at] = process.argv.slice(2);
const die = (): void => {
  process.kill(process.pid, "SIGKILL");
};

/** The values, and the end of the process before the last of them. */
function* dying<T>(values: readonly T[], dies: boolean): Generator<T> {
  for (const [i, value] of values.entries()) {
    if (dies && i === values.length - 1) die();
    yield value;
  }
}

const idOf = (name: string): string => toHex(sha256(utf8(name)));
const store = openNodeState(join(folder, "node.sqlite"), {
  shown: folder,
  fresh: { identity: { store: "s", chain: "c", format: 1 }, objects: [] },
});
if (store === undefined) throw new TypeError("There is no store");

for (let n = 1; n <= 8; n++) {
  for (const name of ["commitOwn", "commitPulse"]) {
    const here = name === method && n === Number(at);
    if (here && when === "before") die();
    const within = here && when === "within";
    const rows = [1, 2, 3].map((key) => ({
      op: "put" as const,
      table: "t",
      key: `${key}`,
      value: utf8(`${n}`),
    }));
    if (name === "commitOwn") {
      const bytes = utf8(`block ${n} `.repeat(500));
      const block = { id: idOf(`block ${n}`), round: n, author: 0, bytes, signature: utf8("s") };
      // Only ever walked through.
      store.commitOwn(block, dying(rows, within) as unknown as typeof rows);
    } else {
      const objects = [1, 2, 3].map((i) => ({
        id: idOf(`object ${n} ${i}`),
        kind: "account",
        bytes: utf8(`${n}`.repeat(3_000)),
        refs: {},
      }));
      store.commitPulse({
        number: n,
        header: utf8(`header ${n}`),
        contents: utf8(`contents ${n}`),
        executed: { succeeded: n, failed: 0, void: 0 },
        eventCount: 0,
        digests: [idOf(`tx ${n}`)],
        objects: dying(objects, within),
        knowledge: [],
        knowledgeSize: 0,
        tail: utf8(`tail ${n}`),
        keepFrom: n,
        rows: [],
        published: { data: utf8("d"), locks: utf8("l"), state: utf8("s") },
        witness: utf8("w"),
        dropBlocksBelow: 0,
        dropCertificatesBelow: 0,
        dropPublishedBelow: 0,
      });
    }
    writeSync(1, `${name} ${n}\n`);
    if (here && when === "after") die();
  }
}
