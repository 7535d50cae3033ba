/**
 * The era of `initialize`: revisions 2024-11-05 to 2025-11-25. A version is agreed on once for the
 * connection; requests carry nothing but their parameters.
 */
import { featureCapabilities } from "../features/mod.ts";
import { isObject, type JsonObject } from "../json_rpc.ts";
import { legacyPeer } from "../peer.ts";
import { checkListParams, readCallParams, toolsCapability, wireResult } from "../tool_server.ts";
import type { Era, Method, MethodCall } from "./_era.ts";

/** The legacy versions spoken, newest first; the newest answers a client that asks for any other. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The one version in which a line may hold several messages (and a server has to take them). */
export const BATCH_VERSION = "2025-03-26";

/**
 * Versions whose schema makes `structuredContent` an object, which their clients enforce by failing
 * the whole call. (Before them it is an unknown member; after them it is any value.)
 */
const OBJECT_CONTENT_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18"];

const initialize: Method = ({ server, session, params }) => {
  const asked = params["protocolVersion"];
  const version = LEGACY_VERSIONS.find((known) => known === asked) ?? LEGACY_VERSIONS[0];
  session.legacyVersion = version;
  const { capabilities } = params;
  session.capabilities = isObject(capabilities) ? capabilities : {};
  return {
    capabilities: { ...featureCapabilities(server), tools: toolsCapability(server) },
    instructions: server.instructions,
    protocolVersion: version,
    serverInfo: server.info,
  };
};

const ping: Method = () => ({});

const listTools: Method = async ({ server, params }) => {
  checkListParams(params);
  return { tools: await server.list() };
};

const call: Method = async ({ server, session, params, context }: MethodCall) => {
  const { name, given } = readCallParams(params);
  const result = wireResult(await server.call(name, given, context));
  const version = session.legacyVersion;
  return version !== undefined && OBJECT_CONTENT_VERSIONS.includes(version)
    ? withObjectContent(result)
    : result;
};

/** Leaves out a value that is no object; `content[0].text` still says it. */
function withObjectContent(result: JsonObject): JsonObject {
  const { structuredContent, ...rest } = result;
  return structuredContent === undefined || isObject(structuredContent) ? result : rest;
}

/** The legacy era. */
export const legacy: Era = {
  name: "legacy",
  methods: new Map([
    ["initialize", initialize],
    ["ping", ping],
    ["tools/call", call],
    ["tools/list", listTools],
  ]),
  check() {},
  peer: ({ session, notify, request }) =>
    legacyPeer({
      capabilities: session.capabilities,
      level: () => session.logLevel,
      notify,
      request,
    }),
  finish: (_server, result) => result,
  roundOf: (_server, _call, needs) => Promise.reject(needs),
};
