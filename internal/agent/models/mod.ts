/** The providers of models, sorted. A new one is a file and a line here. */
import { AgentError } from "../errors.ts";
import type { Model, ModelContext, ModelProvider } from "./_model.ts";
import { DEFAULT_CONTEXT } from "./_known_models.ts";
import { anthropic } from "./anthropic/mod.ts";
import { openai } from "./openai/mod.ts";
import { script } from "./script.ts";

export type {
  Model,
  ModelContext,
  ModelErrorCode,
  ModelMessage,
  ModelPart,
  ModelProvider,
  ModelQuestion,
  ModelRequest,
  ModelUsage,
  OfferedTool,
} from "./_model.ts";
export { estimateTokens, mostTokens, textTokens } from "./_estimate.ts";
export type { ImageModel, ImageRequest } from "./openai/images.ts";
export { openImageModel } from "./openai/images.ts";
export { anthropicHeaders } from "./anthropic/headers.ts";
export { ModelError } from "./_model.ts";

/** The providers this version has. */
export const modelProviders: readonly ModelProvider[] = [anthropic, openai, script];

/** The names of all keys that models may need. */
export const modelKeys: readonly string[] = modelProviders.flatMap(({ keys = [] }) => keys);

/** Tokens that a model reads, question and answer together. */
export function contextTokensOf(model: Model | undefined): number {
  return model?.contextTokens ?? DEFAULT_CONTEXT;
}

/**
 * The name under which a session keeps a model, so that it is found again from another folder.
 * @throws {AgentError} `model` when no provider is named so.
 */
export function canonicalModel(
  name: string,
  cwd: string,
  providers: readonly ModelProvider[] = modelProviders,
): string {
  const { provider, rest } = providerOf(name, providers);
  return `${provider.scheme}:${provider.canonical?.(rest, cwd) ?? rest}`;
}

/**
 * Opens a model by its name. What it reads is as `SION_MODEL_CONTEXT` says, else as is known of it.
 * @throws {AgentError} `model`, or what its provider says is wrong
 */
export async function openModel(
  name: string,
  context: ModelContext,
  providers: readonly ModelProvider[] = modelProviders,
): Promise<Model> {
  const { provider, rest } = providerOf(name, providers);
  const model = await provider.open(rest, context);
  const given = context.env["SION_MODEL_CONTEXT"] ?? "";
  if (given === "") return model;
  if (!/^[1-9]\d{2,8}$/.test(given)) {
    throw new AgentError("model", `SION_MODEL_CONTEXT is ${given}: give tokens, like 200000`);
  }
  return { ...model, contextTokens: Number(given) };
}

function providerOf(
  name: string,
  providers: readonly ModelProvider[],
): { provider: ModelProvider; rest: string } {
  const colon = name.indexOf(":");
  const scheme = colon === -1 ? name : name.slice(0, colon);
  const rest = colon === -1 ? "" : name.slice(colon + 1);
  const provider = providers.find((one) => one.scheme === scheme);
  if (provider !== undefined && rest !== "") return { provider, rest };
  const all = providers.map((one) => `${one.scheme}:${one.usage}`);
  const known = all.join(", ").replace(/, ([^,]*)$/, " or $1");
  throw new AgentError("model", `${name} names no model this sion can ask: give ${known}`);
}
