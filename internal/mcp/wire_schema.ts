/** A tool's input as JSON Schema, in the plain form that `tools/list` shows. */
import type { JsonValue } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import type { Tool } from "./tool.ts";

/**
 * The schema that clients see: type, description, required, and what else narrows a value. Left out
 * is what says nothing to a model: `$schema` (2020-12 is the protocol's default),
 * `additionalProperties` (an argument that a tool does not have is answered with a sentence) and the
 * bounds of a double that zod adds to every integer.
 */
export function wireSchema(tool: Tool<never>): JsonValue {
  if (tool.inputSchema !== undefined) return tool.inputSchema;
  const schema = z.toJSONSchema(tool.input, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  delete schema.$schema;
  return schema as JsonValue;
}
