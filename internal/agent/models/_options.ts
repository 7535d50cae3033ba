/** How a vendor's model is named: `<model>?effort=high&context=200000`; what follows `?` is optional. */
import { AgentError } from "../errors.ts";
import { costOf, mostCostOf, mostOutputFor } from "./_cost.ts";
import { mostTokens } from "./_estimate.ts";
import type { KnownModel, Price } from "./_known_models.ts";
import { DEFAULT_CONTEXT, readPrice } from "./_known_models.ts";
import type { Model, ModelContext, ModelQuestion } from "./_model.ts";

/** How hard a model is to think; what a model does not know, its provider refuses. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** One of them. */
export type Effort = (typeof EFFORTS)[number];

/** A name taken apart. */
export interface NamedModel {
  /** As the provider knows it. */
  readonly model: string;
  readonly effort?: Effort;
  /** Tokens of a conversation that it reads, where the person knows better. */
  readonly context?: number;
  /** Tokens that it may write in one answer. */
  readonly maxOutput?: number;
  readonly price?: Price;
  /** Which of a provider's interfaces. */
  readonly api?: string;
}

const MOST_TOKENS = 100_000_000;
/** Shorter answers are not asked for to save money, tokens: a model's thinking is among them. */
const LEAST_ANSWER = 2_048;

/**
 * Takes a name apart.
 * @param apis the interfaces that `api` may name; none when there is only one
 * @throws {AgentError} `model`
 */
export function readName(
  scheme: string,
  rest: string,
  apis: readonly string[] = [],
): NamedModel {
  const at = rest.indexOf("?");
  const model = at === -1 ? rest : rest.slice(0, at);
  const full = `${scheme}:${rest}`;
  // deno-lint-ignore no-control-regex -- a name goes into a request and into messages
  if (model === "" || /[\s\x00-\x1f\x7f]/.test(model)) {
    throw new AgentError("model", `${JSON.stringify(full)} names no model: give ${scheme}:<model>`);
  }
  let named: NamedModel = { model };
  for (const [key, value] of new URLSearchParams(at === -1 ? "" : rest.slice(at + 1))) {
    named = { ...named, ...readOption(full, key, value, apis) };
  }
  return named;
}

function readOption(
  full: string,
  key: string,
  value: string,
  apis: readonly string[],
): Partial<NamedModel> {
  const wrong = (give: string) =>
    new AgentError("model", `${full}: ${key}=${value} is wrong: give ${give}`);
  switch (key) {
    case "effort": {
      const effort = EFFORTS.find((known) => known === value);
      if (effort === undefined) throw wrong(EFFORTS.join(", "));
      return { effort };
    }
    case "context":
    case "max-output": {
      const tokens = /^[1-9]\d{2,8}$/.test(value) ? Number(value) : Infinity;
      if (tokens > MOST_TOKENS) throw wrong("a number of tokens, like 200000");
      return key === "context" ? { context: tokens } : { maxOutput: tokens };
    }
    case "price":
      if (!/^\d{1,6}(\.\d{1,6})?(\/\d{1,6}(\.\d{1,6})?){1,3}$/.test(value)) {
        throw wrong("USD a million tokens in and out, like 0.5/1.5");
      }
      return { price: readPrice(value.replaceAll("/", " ")) };
    case "api":
      if (apis.length > 0) {
        if (!apis.includes(value)) throw wrong(apis.join(" or "));
        return { api: value };
      }
  }
  const known = ["effort", "context", "max-output", "price", ...(apis.length > 0 ? ["api"] : [])];
  throw new AgentError(
    "model",
    `${full}: ${key} is no option of a model: give ${known.join(", ")}`,
  );
}

/**
 * What a model's limits and price come to: as named, else as known.
 * @param mostOutput tokens that an answer is bounded to. @default as named, else as known
 */
export function modelFacts(
  named: NamedModel,
  known: KnownModel | undefined,
  mostOutput?: (question: ModelQuestion) => number,
): ModelFacts {
  const price = named.price === undefined ? known : { price: named.price };
  const contextTokens = named.context ?? known?.context ?? DEFAULT_CONTEXT;
  if (price === undefined) return { contextTokens };
  const inputOf = (question: ModelQuestion): number => question.mostInput ?? mostTokens(question);
  const outputOf = (question: ModelQuestion): number =>
    mostOutput?.(question) ??
      Math.min(named.maxOutput ?? known?.output ?? contextTokens, question.mostOutput ?? Infinity);
  return {
    contextTokens,
    cost: (usage) => costOf(price, usage),
    mostCost: (question) =>
      mostCostOf(price, { input: inputOf(question), output: outputOf(question) }),
    answerFor(question, mostMicro) {
      const output = mostOutputFor(price, inputOf(question), mostMicro);
      return output < LEAST_ANSWER || output >= outputOf(question) ? undefined : output;
    },
  };
}

/** What is known of a model before it is asked. */
type ModelFacts = Pick<Model, "answerFor" | "cost" | "mostCost"> & {
  readonly contextTokens: number;
};

/**
 * A key: of the environment, else one that is kept.
 * @param optional other servers than the vendor's may need none
 * @throws {AgentError} `model-key` when there is none and one is needed
 */
export async function findKey(
  { env, secrets }: ModelContext,
  model: string,
  name: string,
  optional: boolean,
): Promise<string> {
  const key = (secrets === undefined ? env[name] : await secrets.find(name))?.trim() ?? "";
  if (key !== "") return key;
  if (optional) return "none";
  throw new AgentError(
    "model-key",
    `model ${model} needs ${name}: keep it with \`sion agent credential add ${name}\``,
  );
}

/**
 * The address that a variable names instead of the vendor's own.
 * @throws {AgentError} `model` when it is none
 */
export function baseUrlOf(
  { env }: ModelContext,
  name: string,
): string | undefined {
  const given = (env[name] ?? "").trim();
  if (given === "") return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new AgentError(
      "model",
      `${name} is no web address: give one like http://127.0.0.1:11434/v1`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new AgentError("model", `${name} holds a password: keep the key as a credential instead`);
  }
  return given.replace(/\/+$/, "");
}
