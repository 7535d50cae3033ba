/** `agent`: what the runtime adds to a model and its tools. */
import { join } from "node:path";
import process from "node:process";
import { buildNpm } from "../_build_npm.ts";
import type { Place } from "../_sion.ts";
import { startDevnet } from "../_sion.ts";
import type { Bench, BenchOptions, Failures } from "./_bench.ts";
import { attempt, progress } from "./_bench.ts";
import { firstRequests, makeAgent } from "./_first_request.ts";
import { freshPlace } from "./_folder.ts";
import { measureLongSession } from "./_long_session.ts";
import { programSteps } from "./_program_steps.ts";
import { searchFigures } from "./search.ts";

const KEYS = ["first_request", "steps", "long_session", "search"] as const;

export const agent: Bench = {
  name: "agent",
  brief:
    "start of `sion agent run` to the first request at its model, long sessions, steps, searching",
  keys: KEYS,
  run: measure,
};

async function measure(
  { only, quick, onBegin }: BenchOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = quick ? { quick } : {};
  const failures: Failures = {};
  onBegin(() => ({ ...found, failed: failures }));
  const part = async (key: (typeof KEYS)[number], work: () => Promise<object>): Promise<void> => {
    if (only !== undefined && !only.has(key)) return;
    await attempt(failures, key, async () => void Object.assign(found, await work()));
  };
  await part("first_request", () => onDevnet((place) => firstRequests(place, quick ? 2 : 15)));
  await part("steps", () => onDevnet(programSteps));
  await part("long_session", async () => {
    using fresh = freshPlace();
    progress("making a long session");
    return await measureLongSession(fresh.folder, quick);
  });
  await part("search", async () => {
    using fresh = freshPlace();
    return await searchFigures(fresh.folder, quick);
  });
  return { ...found, ...(Object.keys(failures).length === 0 ? {} : { failed: failures }) };
}

/** With the npm package's bundle, and an agent on a devnet. */
async function onDevnet(
  work: (place: Place & { readonly folder: string }) => Promise<object>,
): Promise<object> {
  using fresh = freshPlace();
  progress("building");
  const bundle = await buildNpm(join(fresh.folder, "npm"));
  const program = [process.execPath, join(bundle, "bin/sion.js")];
  await using devnet = await startDevnet({ ...fresh, program }, "--dir", join(fresh.folder, "net"));
  const place = { ...fresh, program, node: devnet.node };
  await makeAgent(place);
  return await work(place);
}
