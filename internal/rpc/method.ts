/** What a method of the contract declares; node and client derive all else from it. */
import type { Wire } from "./wire.ts";

/** One method: `POST /rpc/<name>` with its parameters as a JSON object, answered by one. */
export interface Method<Params, Result extends { readonly pulse: number }> {
  readonly name: string;
  /** One sentence for the reference. */
  readonly summary: string;
  readonly params: Wire<Params>;
  /** Every result names the Pulse it is of. */
  readonly result: Wire<Result>;
  /**
   * The parameter of bytes that may come as the request's whole body, twice as short as its hex and
   * read by nothing on the way: `encodeRequest`.
   */
  readonly body?: string;
  /** It changes something at the node or on the chain: a gateway, which only reads, refuses it. */
  readonly changes?: true;
  /** Answers late on purpose: a client waits this much longer than its usual time limit. */
  readonly waitsMs?: (params: Params) => number;
}

/** The parameters that a method takes. */
export type ParamsOf<M> = M extends Method<infer P, infer _R> ? P : never;
/** What a method answers. */
export type ResultOf<M> = M extends Method<infer _P, infer R> ? R : never;

/** Declares a method, so that its types are derived from its shapes. */
export function defineMethod<Params, Result extends { readonly pulse: number }>(
  method: Method<Params, Result>,
): Method<Params, Result> {
  return method;
}
