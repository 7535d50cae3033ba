/** A model that makes pictures, for an agent with a workspace to put them in. */
import * as z from "zod";
import { AgentError } from "../errors.ts";
import type { ImageModel } from "../models/mod.ts";
import { openImageModel } from "../models/mod.ts";
import { defineCapability, givenValue } from "./_capability.ts";

/** `--image-model openai:<model>`. */
export const imageModel = defineCapability({
  name: "image-model",
  options: [{
    name: "imageModel",
    kind: "value",
    placeholder: "MODEL",
    about: "the model that makes pictures, as openai:<model>; they are put into images/",
    default: "no pictures are made",
  }],
  settings: z.strictObject({ model: z.string() }),
  async read(given, machine) {
    const model = givenValue(given, "imageModel");
    if (model === undefined || model === "") return undefined;
    if (machine.workspace === undefined) {
      throw new AgentError(
        "option",
        "--image-model puts pictures into a workspace: give --workspace <folder> too",
      );
    }
    await openImageModel(model, machine);
    return { model };
  },
  open: ({ model }, machine): Promise<ImageModel> => openImageModel(model, machine),
});
