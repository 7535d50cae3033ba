/** Content from outside is kept from the model; a reader without tools answers questions about it. */
import * as z from "zod";
import type { Model } from "../models/mod.ts";
import { canonicalModel, openModel } from "../models/mod.ts";
import { AgentError } from "../errors.ts";
import { defineCapability, givenValue } from "./_capability.ts";

/** What `ask_reader` uses. */
export interface QuarantineService {
  /** The model that reads; missing when the session's own models do. */
  readonly model?: Model;
}

/** `--quarantine`, and `--reader MODEL` for who reads. */
export const quarantine = defineCapability({
  name: "quarantine",
  options: [{
    name: "quarantine",
    kind: "toggle",
    about: "keep what comes from outside from the model: it asks a reader about it",
  }, {
    name: "reader",
    kind: "value",
    placeholder: "MODEL",
    about: "the model that reads what --quarantine holds",
    default: "the session's own",
  }],
  settings: z.strictObject({ reader: z.string().exactOptional() }),
  async read(given, machine) {
    const reader = givenValue(given, "reader");
    if (given["quarantine"] !== true) {
      if (reader === undefined) return undefined;
      throw new AgentError(
        "option",
        "--reader reads what is held, and nothing is: add --quarantine",
      );
    }
    if (reader === undefined) return {};
    const name = canonicalModel(reader, machine.cwd);
    await openModel(name, machine);
    return { reader: name };
  },
  async open({ reader }, machine): Promise<QuarantineService> {
    return reader === undefined ? {} : { model: await openModel(reader, machine) };
  },
  instructions: () =>
    "What comes from outside is held in quarantine: you are shown a placeholder such as " +
    "⟦outside 2.1⟧ in its place. Ask about it with ask_reader. To pass it on, write the placeholder " +
    "as a call's value: the content is put there when the call is made, and a person is asked first.",
});
