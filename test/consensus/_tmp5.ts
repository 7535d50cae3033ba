import { logRoot } from "/work/main/internal/merkle/mod.ts";
for (let n = 0; n < 70; n++) {
  try {
    const r = logRoot(Array.from({ length: n }, (_, i) => Uint8Array.of(i)));
    if (!r) console.log(n, r);
  } catch (e) {
    console.log(n, e.message);
  }
}
