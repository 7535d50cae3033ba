/**
 * What a server remembers of a request between rounds of input: it travels with the client, so it is
 * sealed. A seal is good for the same request, in this process, for a while.
 */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type JsonValue, parseJson, stringifyJson } from "#internal/core/mod.ts";
import { invalidParams, isObject, type JsonObject, type ProtocolError } from "./json_rpc.ts";

/** How long a person may take to answer, ms. */
const GOOD_FOR_MS = 3_600_000;

let key: Uint8Array | undefined;

/** The key of this process: nobody else's seals are good, and after a restart none is. */
function processKey(): Uint8Array {
  return key ??= randomBytes(32);
}

/**
 * Seals answers for the next round.
 * @param request what they are answers for: method, name and arguments.
 */
export function sealState(answers: JsonObject, request: JsonValue, nowMs: number): string {
  const text = stringifyJson({ answers: answers as JsonValue, until: nowMs + GOOD_FOR_MS });
  const body = Buffer.from(text).toString("base64url");
  return `${body}.${sealOf(body, request).toString("base64url")}`;
}

/** The answers that were sealed. @throws {ProtocolError} when they were not, or it was long ago */
export function openState(state: string, request: JsonValue, nowMs: number): JsonObject {
  const [body = "", seal = "", ...rest] = state.split(".");
  const wanted = sealOf(body, request);
  const given = Buffer.from(seal, "base64url");
  const isWhole = rest.length === 0 && given.toString("base64url") === seal;
  if (!isWhole || given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw bad("is not what this server gave for this request");
  }
  const { answers, until } = parseJson(Buffer.from(body, "base64url").toString()) as JsonObject;
  if (Number(until) < nowMs) throw bad("is too old");
  return isObject(answers) ? answers : {};
}

function sealOf(body: string, request: JsonValue): Buffer {
  return createHmac("sha256", processKey()).update(`${body}.${stringifyJson(request)}`).digest();
}

function bad(why: string): ProtocolError {
  return invalidParams(`requestState ${why}: begin anew`);
}
