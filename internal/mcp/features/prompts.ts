/** Prompts. */
import type { JsonValue } from "#internal/core/mod.ts";
import { invalidParams, isObject, type JsonObject } from "../json_rpc.ts";
import type { Prompt } from "../offers.ts";
import { checkListParams, type ToolServer } from "../tool_server.ts";
import type { Feature } from "./_feature.ts";

export const prompts: Feature = {
  capability: "prompts",
  declare: ({ offers }) =>
    offers.prompts === undefined
      ? undefined
      : { ...(offers.watch === undefined ? {} : { listChanged: true }) },
  methods: [
    {
      name: "prompts/list",
      eras: ["legacy", "modern"],
      cacheable: true,
      async run({ server, params }) {
        checkListParams(params);
        const list = await promptsOf(server);
        return { prompts: list.map(({ get: _, ...shown }) => shown) as unknown as JsonValue };
      },
    },
    {
      name: "prompts/get",
      eras: ["legacy", "modern"],
      async run({ server, params, context }) {
        const { name, arguments: given = {} } = params;
        const prompt = (await promptsOf(server)).find((one) => one.name === name);
        if (prompt === undefined) throw invalidParams(`there is no prompt ${shown(name)}`);
        const got = await prompt.get(context, readArguments(prompt, given));
        return got as unknown as JsonObject;
      },
    },
  ],
};

async function promptsOf({ offers }: ToolServer): Promise<readonly Prompt[]> {
  return await offers.prompts?.() ?? [];
}

function readArguments(
  { arguments: known = [] }: Prompt,
  given: JsonValue | undefined,
): { readonly [name: string]: string } {
  if (!isObject(given)) throw invalidParams("arguments must be an object");
  for (const { name, required } of known) {
    if (required === true && given[name] === undefined) throw invalidParams(`it needs ${name}`);
  }
  const texts = Object.entries(given).filter((entry): entry is [string, string] => {
    if (typeof entry[1] !== "string") throw invalidParams(`${entry[0]} must be a string`);
    return true;
  });
  return Object.fromEntries(texts);
}

function shown(name: JsonValue | undefined): string {
  return typeof name === "string" ? name.slice(0, 64) : "without a name";
}
