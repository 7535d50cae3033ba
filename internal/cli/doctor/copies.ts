import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** One sion on PATH: a second, older one is what people run by accident. */
export const copies: Check = {
  name: "copies",
  ofAgents: false,
  run({ env, shown }) {
    const found = new Map<string, string>();
    for (const folder of (env["PATH"] ?? "").split(":").filter(isAbsolute)) {
      const path = join(folder, "sion");
      try {
        const real = realpathSync(path);
        if (!found.has(real)) found.set(real, path);
      } catch {
        continue;
      }
    }
    const paths = [...found.values()].map(shown);
    if (paths.length <= 1) {
      return fine(paths.length === 0 ? "no sion is on PATH" : `${paths[0]} is the one on PATH`);
    }
    return look(`${paths[0]} hides ${paths.slice(1).join(", ")}`, "remove the ones you do not use");
  },
};
