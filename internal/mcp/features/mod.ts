/** Everything that a server can offer besides tools. A new one is its file and its line here. */
import type { EraName } from "../eras/_era.ts";
import type { JsonObject } from "../json_rpc.ts";
import type { ToolServer } from "../tool_server.ts";
import type { Feature, FeatureMethod } from "./_feature.ts";
import { completion } from "./completion.ts";
import { logging } from "./logging.ts";
import { prompts } from "./prompts.ts";
import { resources, resourceSubscriptions } from "./resources.ts";
import { subscriptions } from "./subscriptions.ts";

export type { FeatureMethod } from "./_feature.ts";

const features: readonly Feature[] = [
  completion,
  logging,
  prompts,
  resources,
  resourceSubscriptions,
  subscriptions,
];

/** The capabilities of a server besides tools. */
export function featureCapabilities(server: ToolServer): JsonObject {
  return Object.fromEntries(features.flatMap(({ capability, declare }) => {
    const declared = capability === undefined ? undefined : declare(server);
    return declared === undefined ? [] : [[capability as string, declared]];
  }));
}

/** The methods of an era that a server offers besides those for tools. */
export function featureMethods(
  server: ToolServer,
  era: EraName,
): ReadonlyMap<string, FeatureMethod> {
  const offered = features.filter(({ declare }) => declare(server) !== undefined);
  return new Map(
    offered.flatMap(({ methods }) => methods)
      .filter(({ eras }) => eras.includes(era))
      .map((method) => [method.name, method]),
  );
}
