/** Resources: what a client can read by its address. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { MethodCall } from "../eras/_era.ts";
import { invalidParams, type JsonObject, ProtocolError } from "../json_rpc.ts";
import type { ResourceContents } from "../offers.ts";
import { checkListParams, type ToolServer } from "../tool_server.ts";
import { type Feature, MAX_SUBSCRIBED } from "./_feature.ts";

export const resources: Feature = {
  capability: "resources",
  declare: ({ offers }) =>
    offers.resources === undefined
      ? undefined
      : { ...(offers.watch === undefined ? {} : { listChanged: true, subscribe: true }) },
  methods: [
    {
      name: "resources/list",
      eras: ["legacy", "modern"],
      cacheable: true,
      async run({ server, params }) {
        checkListParams(params);
        const { list } = await resourcesOf(server);
        return { resources: list.map(({ read: _, ...shown }) => shown) as unknown as JsonValue };
      },
    },
    {
      name: "resources/templates/list",
      eras: ["legacy", "modern"],
      cacheable: true,
      async run({ server, params }) {
        checkListParams(params);
        const { templates } = await resourcesOf(server);
        const shown = templates.map(({ read: _, ...shown }) => shown);
        return { resourceTemplates: shown as unknown as JsonValue };
      },
    },
    {
      name: "resources/read",
      eras: ["legacy", "modern"],
      cacheable: true,
      async run(call) {
        const uri = readUri(call.params);
        const contents = await read(call, uri);
        if (contents === undefined || contents.length === 0) throw notFound(call, uri);
        return { contents: contents as unknown as JsonValue };
      },
    },
  ],
};

/** Being told that one resource changed; later eras have it in `subscriptions/listen`. */
export const resourceSubscriptions: Feature = {
  declare: ({ offers }) =>
    offers.resources === undefined || offers.watch === undefined ? undefined : {},
  methods: [
    {
      name: "resources/subscribe",
      eras: ["legacy"],
      run({ session, params }) {
        const uri = readUri(params);
        if (session.subscribed.size >= MAX_SUBSCRIBED && !session.subscribed.has(uri)) {
          throw invalidParams(`${MAX_SUBSCRIBED} resources are subscribed to already`);
        }
        session.subscribed.add(uri);
        return {};
      },
    },
    {
      name: "resources/unsubscribe",
      eras: ["legacy"],
      run({ session, params }) {
        session.subscribed.delete(readUri(params));
        return {};
      },
    },
  ],
};

async function resourcesOf({ offers }: ToolServer): ReturnType<
  NonNullable<ToolServer["offers"]["resources"]>
> {
  return await offers.resources?.() ?? { list: [], templates: [] };
}

async function read(
  { server, context }: MethodCall,
  uri: string,
): Promise<readonly ResourceContents[] | undefined> {
  const { list, templates } = await resourcesOf(server);
  const exact = list.find((resource) => resource.uri === uri);
  if (exact !== undefined) return await exact.read(context);
  for (const template of templates) {
    const found = await template.read(uri, context);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Before 2026-07-28 it has a code of its own. */
function notFound({ era }: MethodCall, uri: string): ProtocolError {
  const code = era === "legacy" ? "resource-not-found" : "invalid-params";
  return new ProtocolError(code, `there is no resource ${uri.slice(0, 256)}`, { data: { uri } });
}

function readUri({ uri }: JsonObject): string {
  if (typeof uri === "string") return uri;
  throw invalidParams("uri must be a string");
}
