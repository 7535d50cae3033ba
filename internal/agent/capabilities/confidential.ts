/** Files of the workspace that the operator keeps confidential, by globs. */
import * as z from "zod";
import { AgentError } from "../errors.ts";
import { globProblem } from "../glob.ts";
import { defineCapability } from "./_capability.ts";

/** Globs of one session, and the length of each, characters. */
const MAX_GLOBS = 100;
const MAX_LENGTH = 500;

/** `--confidential GLOB`, repeatable. What it does to calls is in `policy/confidential.ts`. */
export const confidential = defineCapability({
  name: "confidential",
  options: [{
    name: "confidential",
    kind: "list",
    placeholder: "GLOB",
    about: "files (finance/**) after whose reading whatever goes outside waits for a person " +
      "(agent:confidential-patterns)",
    default: "none",
  }],
  settings: z.strictObject({ globs: z.array(z.string().max(MAX_LENGTH)).max(MAX_GLOBS) }),
  read(given, { workspace }) {
    const globs = given["confidential"];
    if (!Array.isArray(globs) || globs.length === 0) return Promise.resolve(undefined);
    if (workspace === undefined) {
      throw new AgentError(
        "option",
        "--confidential names files of a workspace and there is none: add --workspace <folder>",
      );
    }
    if (globs.length > MAX_GLOBS) {
      throw new AgentError("option", `${globs.length} confidential globs: at most ${MAX_GLOBS}`);
    }
    for (const glob of globs as readonly string[]) {
      const problem = glob.length > MAX_LENGTH ? "it is too long" : globProblem(glob);
      if (problem !== undefined) {
        throw new AgentError(
          "option",
          `${glob.slice(0, MAX_LENGTH)} names no files (${problem}): give a glob like finance/**`,
        );
      }
    }
    return Promise.resolve({ globs: [...globs as readonly string[]] });
  },
  instructions: ({ globs }) =>
    `Files that match ${
      globs.join(", ")
    } are confidential: once you saw one, or ran a command that ` +
    "could read one, what goes outside waits for a person.",
});
