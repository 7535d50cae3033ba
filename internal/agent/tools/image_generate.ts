/** Makes a picture from words and puts it into the workspace. */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { cleanName, mediaTypeOf, putUnderFreeName } from "../given_names.ts";
import { AgentError } from "../errors.ts";
import type { ImageModel, ImageRequest } from "../models/mod.ts";
import { ModelError } from "../models/mod.ts";
import { pathFailure, workspaceOf } from "./_files.ts";
import { changeId } from "./_texts.ts";
import type { AgentToolContext } from "./_tool.ts";
import { defineAgentTool } from "./_tool.ts";

const FOLDER = "images";
/** What the Images API takes, characters. */
const MAX_PROMPT = 32_000;
/** A picture can take minutes, ms. */
const LIMIT_MS = 300_000;
/** Ends of names by what is in the file, whatever was asked for. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
};

/**
 * A write: its words go to the provider that the operator chose and to nobody else, as the model's own
 * requests do. Not in the journal: the same words make another picture.
 */
export const imageGenerate = defineAgentTool({
  name: "image_generate",
  title: "Make a picture",
  description: "Make a picture from a description. It is put into images/ of the workspace under " +
    "the name you give, and shown to you. Share it with share_file.",
  input: () =>
    z.strictObject({
      name: z.string().min(1).max(200).describe("The file's name, like logo; without a folder"),
      prompt: z.string().trim().min(1).max(MAX_PROMPT).describe("What it shows"),
      size: z.string().regex(/^[1-9]\d{1,3}x[1-9]\d{1,3}$/).exactOptional()
        .describe("Width and height, like 1024x1024 (default: the model's own)"),
    }),
  needs: ["workspace", "image-model"],
  highestEffect: "write",
  paths: ({ name }) => [{ path: `${FOLDER}/${cleanName(name)}`, use: "write" }],
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "name",
  fromPrograms: false,
  limitMs: () => LIMIT_MS,
  says: ({ name, prompt }) =>
    `Make a picture and put it into images/ as ${cleanName(name)}: ${prompt}`,
  async run(context, { name, prompt, size }) {
    const model = context.services["image-model"];
    if (model === undefined) throw new TypeError("Cannot make a picture without a model");
    if (/[/\\]/.test(name)) {
      return refused(
        "outside",
        `${name} names a folder: give a name alone, it is put into images/`,
      );
    }
    const { signal } = context;
    try {
      const asked = { prompt, signal, ...(size === undefined ? {} : { size }) };
      return await kept(context, name, await paid(context, model, asked));
    } catch (error) {
      if (error instanceof AgentError && (error.code === "budget" || error.code === "cost")) {
        return refused(error.code, error.message);
      }
      if (signal.aborted) return refused("cancelled", "making the picture was stopped");
      if (error instanceof ModelError) return refused("image-model", error.message);
      return pathFailure(error);
    }
  },
});

/** Errors of a provider that made nothing, and so charged nothing. */
const NOTHING_MADE: ReadonlySet<string> = new Set([
  "credential",
  "declined",
  "overloaded",
  "refused",
]);

/** Has the picture made, counted in the session's budgets. @throws {AgentError} `budget` */
async function paid(
  { charge }: AgentToolContext,
  { name, priceMicro, make }: ImageModel,
  asked: ImageRequest,
): Promise<Uint8Array> {
  const charged = await charge?.(name, priceMicro);
  let cost = priceMicro ?? 0n;
  try {
    return await make(asked);
  } catch (error) {
    if (error instanceof ModelError && NOTHING_MADE.has(error.code)) cost = 0n;
    throw error;
  } finally {
    charged?.settle(cost);
  }
}

/** Puts the picture into the workspace, and shows it. */
async function kept(
  context: AgentToolContext,
  name: string,
  bytes: Uint8Array,
): Promise<ToolResult> {
  const mimeType = mediaTypeOf(bytes, name);
  const ending = ENDINGS[mimeType] ?? "png";
  const stem = cleanName(name).replace(/\.(png|jpe?g|gif|webp)$/i, "");
  const path = await putUnderFreeName(workspaceOf(context), FOLDER, {
    name: `${stem}.${ending}`,
    bytes,
    id: changeId(context),
  });
  const data = Buffer.from(bytes).toString("base64");
  return {
    ok: true,
    text: `${path} (${mimeType}, ${bytes.length} bytes)`,
    content: [{ type: "image", data, mimeType }],
    shown: [path],
  };
}
