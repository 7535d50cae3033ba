/**
 * The era of 2026-07-28: every request stands alone and carries its version and the client's
 * capabilities in `_meta`.
 */
import { isObject, type JsonObject, ProtocolError } from "../json_rpc.ts";
import { checkListParams, readCallParams, type ToolServer, wireResult } from "../tool_server.ts";
import type { Era, Method } from "./_era.ts";
import { LEGACY_VERSIONS } from "./legacy.ts";

/** The modern version spoken. */
const MODERN_VERSION = "2026-07-28";
/** Every version spoken, newest first, as `server/discover` and the version error list them. */
const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

const META = "io.modelcontextprotocol/";
/** The member of `_meta` whose presence makes a request a modern one. */
export const VERSION_KEY = `${META}protocolVersion`;
const CAPABILITIES_KEY = `${META}clientCapabilities`;
const SERVER_INFO_KEY = `${META}serverInfo`;

/** How long clients may keep what never changes while the process lives: one hour. */
const TTL_MS = 3_600_000;

/** Members of every result that clients may keep. */
const CACHEABLE = { cacheScope: "public", ttlMs: TTL_MS };

const discover: Method = ({ server }) =>
  complete(server, {
    ...CACHEABLE,
    capabilities: { tools: {} },
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

function complete(server: ToolServer, result: JsonObject): JsonObject {
  return { ...result, _meta: { [SERVER_INFO_KEY]: server.info }, resultType: "complete" };
}

/** Refuses another version first, so that a client of the future learns what is spoken here. */
function checkEnvelope(params: JsonObject): void {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") {
    throw new ProtocolError(
      "invalid-params",
      `invalid params: _meta needs ${VERSION_KEY}, a string`,
    );
  }
  if (requested !== MODERN_VERSION) {
    const data = { requested, supported: SUPPORTED_VERSIONS };
    const message = `unsupported protocol version: ${requested.slice(0, 64)}`;
    throw new ProtocolError("unsupported-version", message, { data });
  }
  if (!isObject(meta[CAPABILITIES_KEY])) {
    const message = `invalid params: _meta needs ${CAPABILITIES_KEY}, an object`;
    throw new ProtocolError("invalid-params", message);
  }
}

/** The modern era. */
export const modern: Era = {
  methods: new Map([
    ["server/discover", discover],
    ["tools/call", call],
    ["tools/list", listTools],
  ]),
  check: checkEnvelope,
};
