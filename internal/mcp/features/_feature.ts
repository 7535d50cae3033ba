/** What a server can offer besides tools, each as a capability with its methods. */
import type { EraName, Method } from "../eras/_era.ts";
import type { JsonObject } from "../json_rpc.ts";
import type { ToolServer } from "../tool_server.ts";

/** Addresses of resources that one client may subscribe to at once. */
export const MAX_SUBSCRIBED = 1024;

/** A method of a feature. */
export interface FeatureMethod {
  readonly name: string;
  /** The eras that have it. */
  readonly eras: readonly EraName[];
  /** Whether clients of the modern era may keep the result. @default false */
  readonly cacheable?: boolean;
  readonly run: Method;
}

/** A feature. */
export interface Feature {
  /** Its member of the capabilities; undefined for what only has methods. */
  readonly capability?: string;
  /** What is declared; undefined when the server does not offer it: then its methods do not exist. */
  declare(server: ToolServer): JsonObject | undefined;
  readonly methods: readonly FeatureMethod[];
}
