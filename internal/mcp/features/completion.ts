/** Completion of prompts' arguments and templates' variables. */
import { isObject, type JsonObject, ProtocolError } from "../json_rpc.ts";
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
    throw invalid("ref is a prompt's name or a template's uri");
  }
  if (!isObject(argument)) throw invalid("argument is an object");
  const { name: of, value } = argument;
  if (typeof of !== "string" || typeof value !== "string") {
    throw invalid("argument has a name and a value, both texts");
  }
  const given = isObject(context) ? context["arguments"] : undefined;
  return {
    ref: { type, name },
    argument: { name: of, value },
    given: isObject(given) ? given : {},
  };
}

function invalid(why: string): ProtocolError {
  return new ProtocolError("invalid-params", `invalid params: ${why}`);
}
