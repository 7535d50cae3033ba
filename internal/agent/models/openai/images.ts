/** Pictures by OpenAI's Images API, or that of a compatible server: one a request, from words. */
import { Buffer } from "node:buffer";
import { parseUsd } from "#internal/core/mod.ts";
import { MOST_BUDGET_MICRO } from "#internal/store/mod.ts";
import { pictureTypeOf } from "../../pictures.ts";
import { AgentError } from "../../errors.ts";
import { modelErrorOf } from "../_errors.ts";
import type { ModelContext } from "../_model.ts";
import { ModelError } from "../_model.ts";
import { clientAt, findPlace, loadClient } from "./_place.ts";

/** What is asked for. */
export interface ImageRequest {
  readonly prompt: string;
  /** As `1024x1536`. @default the model's own */
  readonly size?: string;
  readonly signal: AbortSignal;
}

/** A model that makes pictures. */
export interface ImageModel {
  /** As `--image-model` has it. */
  readonly name: string;
  /** What a picture costs, micro-USD, where it was said. */
  readonly priceMicro?: bigint;
  /** @returns the picture's bytes. @throws {ModelError} */
  make(request: ImageRequest): Promise<Uint8Array>;
}

const NAME = /^openai:([\w./:-]{1,128})(?:\?price=(\d{1,6}(?:\.\d{1,6})?))?$/;
/** Models that answer with an address unless they are told not to; others do not know the word. */
const ANSWERS_ADDRESS = /^dall-e-/;
/** A larger picture could not be shared, bytes. */
const MAX_BYTES = 25_000_000;

/**
 * Opens one by its name: `openai:<model>`, with `?price=<usd>` behind it where a picture's price is to be
 * known. @throws {AgentError} `model`, `model-key`
 */
export async function openImageModel(name: string, context: ModelContext): Promise<ImageModel> {
  const named = NAME.exec(name);
  if (named === null) {
    throw new AgentError(
      "model",
      `${name} names no model of pictures: give openai:<model>, or openai:<model>?price=<usd> a picture`,
    );
  }
  const [, model = "", price] = named;
  const place = await findPlace(name, context);
  const loading = loadClient();
  const asksForBytes = !place.own || ANSWERS_ADDRESS.test(model);
  return {
    name,
    ...(price === undefined
      ? {}
      : { priceMicro: parseUsd(price, { allowZero: true, most: MOST_BUDGET_MICRO }) }),
    async make({ prompt, size, signal }) {
      try {
        const { images } = clientAt(await loading, place);
        const answer = await images.generate({
          model,
          prompt,
          n: 1,
          ...(size === undefined ? {} : { size }),
          ...(asksForBytes ? { response_format: "b64_json" as const } : {}),
        }, { signal });
        return pictureIn(name, answer.data?.[0]?.b64_json);
      } catch (thrown) {
        signal.throwIfAborted();
        throw modelErrorOf(name, thrown, [place.apiKey]);
      }
    },
  };
}

/** The picture that an answer holds; an address in its place is not followed. */
function pictureIn(name: string, base64: unknown): Uint8Array {
  const bytes = typeof base64 === "string"
    ? new Uint8Array(Buffer.from(base64, "base64"))
    : undefined;
  // Of any size: one that is too large to be shown is put into the workspace all the same.
  if (bytes === undefined || pictureTypeOf(bytes, 0) === undefined || bytes.length > MAX_BYTES) {
    throw new ModelError("empty", `${name} gave no picture (PNG, JPEG, GIF or WebP)`);
  }
  return bytes;
}
