/** What an era of the protocol is: the methods it has, and how its results are finished. */
import type { JsonObject } from "../json_rpc.ts";
import type { ToolContext } from "../tool.ts";
import type { ToolServer } from "../tool_server.ts";

/** What a connection remembers between messages. Only the legacy era uses it. */
export interface Session {
  /** The version agreed on by `initialize`; undefined before it. */
  legacyVersion: string | undefined;
}

/** What a method is called with. */
export interface MethodCall {
  readonly server: ToolServer;
  readonly session: Session;
  readonly params: JsonObject;
  readonly context: ToolContext;
}

/** A method of an era. A `ProtocolError` thrown is the answer. */
export type Method = (call: MethodCall) => JsonObject | Promise<JsonObject>;

/** An era of the protocol. A method that is not in the map does not exist in it. */
export interface Era {
  readonly methods: ReadonlyMap<string, Method>;
  /** Refuses a request that this era does not serve at all. @throws {ProtocolError} */
  check(params: JsonObject): void;
}
