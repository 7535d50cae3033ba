/**
 * The era of 2026-07-28: every request stands alone and carries its version and the client's
 * capabilities in `_meta`.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { featureCapabilities } from "../features/mod.ts";
import { invalidParams, isObject, type JsonObject, ProtocolError } from "../json_rpc.ts";
import { modernPeer, readLogLevel } from "../peer.ts";
import {
  checkListParams,
  readCallParams,
  toolsCapability,
  type ToolServer,
  wireResult,
} from "../tool_server.ts";
import type { Era, Method, PeerLink } from "./_era.ts";
import { LEGACY_VERSIONS } from "./legacy.ts";

/** The modern version spoken. */
const MODERN_VERSION = "2026-07-28";
/** Every version spoken, newest first, as `server/discover` and the version error list them. */
const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

const META = "io.modelcontextprotocol/";
/** The member of `_meta` whose presence makes a request a modern one. */
export const VERSION_KEY = `${META}protocolVersion`;
const CAPABILITIES_KEY = `${META}clientCapabilities`;
const LOG_LEVEL_KEY = `${META}logLevel`;
const SERVER_INFO_KEY = `${META}serverInfo`;

/** How long clients may keep what never changes while the process lives: one hour. */
const TTL_MS = 3_600_000;

/** Members of every result that clients may keep. */
const CACHEABLE = { cacheScope: "public", ttlMs: TTL_MS };

const discover: Method = ({ server }) =>
  complete(server, {
    ...CACHEABLE,
    capabilities: { ...featureCapabilities(server), tools: toolsCapability(server) },
    instructions: server.instructions,
    supportedVersions: SUPPORTED_VERSIONS,
  });

const listTools: Method = async ({ server, params }) => {
  checkListParams(params);
  return complete(server, { ...CACHEABLE, tools: await server.list() });
};

const call: Method = async ({ server, params, context }) => {
  const { name, given } = readCallParams(params);
  return complete(server, wireResult(await server.call(name, given, context)));
};

function complete(
  server: ToolServer,
  result: JsonObject,
  resultType: "complete" | "input_required" = "complete",
): JsonObject {
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  return { ...result, _meta: { ...meta, [SERVER_INFO_KEY]: server.info }, resultType };
}

/** What a round of input is about: what comes back has to be for the same. */
function requestOf({ method, params }: Pick<PeerLink, "method" | "params">): JsonValue {
  const { name, uri, arguments: given } = params;
  return { arguments: given ?? {}, method, name: name ?? uri ?? null };
}

function peerOf(link: PeerLink): ReturnType<Era["peer"]> {
  const { params, notify } = link;
  const { _meta, inputResponses = {}, requestState } = params;
  const meta = isObject(_meta) ? _meta : {};
  const capabilities = meta[CAPABILITIES_KEY];
  if (!isObject(inputResponses)) throw invalidParams("inputResponses must be an object");
  if (requestState !== undefined && typeof requestState !== "string") {
    throw invalidParams("requestState must be a string");
  }
  const level = meta[LOG_LEVEL_KEY];
  return modernPeer({
    capabilities: isObject(capabilities) ? capabilities : {},
    level: level === undefined ? undefined : readLogLevel(level),
    responses: inputResponses,
    notify,
    async earlier() {
      if (requestState === undefined) return {};
      const { openState } = await import("../request_state.ts");
      return openState(requestState, requestOf(link), Date.now());
    },
  });
}

/** Refuses another version first, so that a client of the future learns what is spoken here. */
function checkEnvelope(params: JsonObject): void {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") {
    throw invalidParams(`_meta needs ${VERSION_KEY}, a string`);
  }
  if (requested !== MODERN_VERSION) {
    const data = { requested, supported: SUPPORTED_VERSIONS };
    const message = `unsupported protocol version: ${requested.slice(0, 64)}`;
    throw new ProtocolError("unsupported-version", message, { data });
  }
  if (!isObject(meta[CAPABILITIES_KEY])) {
    throw invalidParams(`_meta needs ${CAPABILITIES_KEY}, an object`);
  }
}

/** The modern era. */
export const modern: Era = {
  name: "modern",
  methods: new Map([
    ["server/discover", discover],
    ["tools/call", call],
    ["tools/list", listTools],
  ]),
  check: checkEnvelope,
  peer: peerOf,
  finish: (server, result, cacheable) =>
    complete(server, cacheable ? { ...CACHEABLE, ...result } : result),
  async roundOf(server, call, { questions, answers }) {
    const { sealState } = await import("../request_state.ts");
    const requestState = sealState(answers, requestOf(call), Date.now());
    const inputRequests = questions as unknown as JsonValue;
    return complete(server, { inputRequests, requestState }, "input_required");
  },
};
