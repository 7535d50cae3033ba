/** `subscriptions/listen`: a request that lasts, and on which changes are told as they happen. */
import type { JsonValue } from "#internal/core/mod.ts";
import { invalidParams, isObject, type JsonObject } from "../json_rpc.ts";
import type { Change } from "../offers.ts";
import type { ToolServer } from "../tool_server.ts";
import { type Feature, MAX_SUBSCRIBED } from "./_feature.ts";

const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";
/** Members of the filter, by what changes. */
const LISTS = {
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
  tools: "toolsListChanged",
} as const;

export const subscriptions: Feature = {
  declare: ({ offers }) => offers.watch === undefined ? undefined : {},
  methods: [{
    name: "subscriptions/listen",
    eras: ["modern"],
    async run({ id, server, params, context, notify }) {
      const wanted = honoured(server, params["notifications"]);
      const tagged = { [SUBSCRIPTION_KEY]: id };
      notify("notifications/subscriptions/acknowledged", { _meta: tagged, notifications: wanted });
      const stop = server.offers.watch?.((change) => {
        if (!isWanted(wanted, change)) return;
        const { method, params } = changeMessage(change);
        notify(method, { ...params, _meta: tagged });
      });
      await aborted(context.signal);
      stop?.();
      return { _meta: tagged };
    },
  }],
};

/** What of a filter this server tells of. @throws {ProtocolError} */
function honoured({ offers }: ToolServer, filter: JsonValue | undefined): JsonObject {
  if (!isObject(filter)) {
    throw invalidParams("notifications must be an object");
  }
  const uris = urisOf(filter["resourceSubscriptions"]);
  const has = { prompts: offers.prompts !== undefined, resources: offers.resources !== undefined };
  return {
    ...(filter[LISTS.tools] === true ? { [LISTS.tools]: true } : {}),
    ...(has.prompts && filter[LISTS.prompts] === true ? { [LISTS.prompts]: true } : {}),
    ...(has.resources && filter[LISTS.resources] === true ? { [LISTS.resources]: true } : {}),
    ...(has.resources && uris !== undefined ? { resourceSubscriptions: uris } : {}),
  };
}

/** @throws {ProtocolError} */
function urisOf(given: JsonValue | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || !given.every((uri) => typeof uri === "string")) {
    throw invalidParams("resourceSubscriptions must be an array of strings");
  }
  if (given.length > MAX_SUBSCRIBED) {
    throw invalidParams(`at most ${MAX_SUBSCRIBED} resources can be subscribed to at once`);
  }
  return given;
}

function isWanted(wanted: JsonObject, change: Change): boolean {
  if (change.what !== "resource") return wanted[LISTS[change.what]] === true;
  const uris = wanted["resourceSubscriptions"];
  return Array.isArray(uris) && uris.includes(change.uri);
}

/** A change as clients of every era are told it. */
export function changeMessage(change: Change): { method: string; params: JsonObject } {
  return change.what === "resource"
    ? { method: "notifications/resources/updated", params: { uri: change.uri } }
    : { method: `notifications/${change.what}/list_changed`, params: {} };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
