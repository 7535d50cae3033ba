/** The eras of the protocol, and which of them a request belongs to. */
import { isObject, type JsonObject } from "../json_rpc.ts";
import type { Era } from "./_era.ts";
import { legacy } from "./legacy.ts";
import { modern, VERSION_KEY } from "./modern.ts";

export type { Era, Method, MethodCall, PeerLink, Session } from "./_era.ts";
export { BATCH_VERSION, legacy } from "./legacy.ts";
export { modern } from "./modern.ts";

/** Methods that only the modern era has. */
const MODERN_ONLY: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"]);

/**
 * A request's own era: modern when it names its version or asks for what only that era has. Nothing
 * that came before on the connection matters, so one process serves both at once.
 */
export function eraOf(method: string, params: JsonObject): Era {
  const meta = params["_meta"];
  const namesVersion = isObject(meta) && Object.hasOwn(meta, VERSION_KEY);
  const onlyModern = MODERN_ONLY.has(method);
  return namesVersion || onlyModern ? modern : legacy;
}
