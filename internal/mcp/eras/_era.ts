/** What an era of the protocol is: the methods it has, and how its results are finished. */
import type { JsonObject, RequestId } from "../json_rpc.ts";
import type { InputRequired, LogLevel, Peer } from "../peer.ts";
import type { ToolContext } from "../tool.ts";
import type { ToolServer } from "../tool_server.ts";

export type EraName = "legacy" | "modern";

/** What a connection remembers between messages. Only the legacy era uses it. */
export interface Session {
  /** The version agreed on by `initialize`; undefined before it. */
  legacyVersion: string | undefined;
  /** What the client offers, as `initialize` declared it. */
  capabilities: JsonObject;
  /** The least severe log messages that the client wants. */
  logLevel: LogLevel;
  /** Resources of which the client wants to hear when they change. */
  readonly subscribed: Set<string>;
}

/** What a method is called with. */
export interface MethodCall {
  readonly id: RequestId;
  readonly era: EraName;
  readonly server: ToolServer;
  readonly session: Session;
  readonly params: JsonObject;
  readonly context: ToolContext;
  /** Sends what is not answered, as long as the request runs. */
  notify(method: string, params: JsonObject): void;
}

/** A method of an era. A `ProtocolError` thrown is the answer. */
export type Method = (call: MethodCall) => JsonObject | Promise<JsonObject>;

/** What the peer of a request is made of. */
export interface PeerLink {
  readonly method: string;
  readonly params: JsonObject;
  readonly session: Session;
  readonly notify: (method: string, params: JsonObject) => void;
  /** A request of the server's own. */
  readonly request: (method: string, params: JsonObject) => Promise<JsonObject>;
}

/** An era of the protocol. A method that is not in the map does not exist in it. */
export interface Era {
  readonly name: EraName;
  /** What every server has; what it offers besides is in `features/`. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Refuses a request that this era does not serve at all. @throws {ProtocolError} */
  check(params: JsonObject): void;
  /** Who called. */
  peer(link: PeerLink): Peer;
  /** A feature's result as this era has it. */
  finish(server: ToolServer, result: JsonObject, cacheable: boolean): JsonObject;
  /** What asks for another round; an era without rounds throws it on. */
  roundOf(
    server: ToolServer,
    call: { readonly method: string; readonly params: JsonObject },
    needs: InputRequired,
  ): Promise<JsonObject>;
}
