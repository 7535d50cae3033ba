/** Completion of prompts' arguments and templates' variables. */
import { invalidParams, isObject, type JsonObject } from "../json_rpc.ts";
import type { Complete } from "../offers.ts";
import type { Feature } from "./_feature.ts";

/** The most values that one answer has: the protocol's bound. */
const MAX_VALUES = 100;

type Asked = Parameters<Complete>[0];

export const completion: Feature = {
  capability: "completions",
  declare: ({ offers }) => offers.complete === undefined ? undefined : {},
  methods: [{
    name: "completion/complete",
    eras: ["legacy", "modern"],
    async run({ server, params }) {
      const values = await server.offers.complete?.(readAsked(params)) ?? [];
      const shown = values.slice(0, MAX_VALUES);
      return {
        completion: { hasMore: shown.length < values.length, total: values.length, values: shown },
      };
    },
  }],
};

function readAsked({ ref, argument, context }: JsonObject): Asked {
  const type = isObject(ref) ? ref["type"] : undefined;
  const name = isObject(ref) ? ref[type === "ref/prompt" ? "name" : "uri"] : undefined;
  if ((type !== "ref/prompt" && type !== "ref/resource") || typeof name !== "string") {
    throw invalidParams("ref must name a prompt, or a template by its uri");
  }
  if (!isObject(argument)) throw invalidParams("argument must be an object");
  const { name: of, value } = argument;
  if (typeof of !== "string" || typeof value !== "string") {
    throw invalidParams("argument must have a name and a value, both strings");
  }
  const given = isObject(context) ? context["arguments"] : undefined;
  return {
    ref: { type, name },
    argument: { name: of, value },
    given: isObject(given) ? given : {},
  };
}
