/** What a transaction kind is here: how its body is encoded, when it is one, and what it does. */
import type { Codec } from "#internal/core/mod.ts";
import type { Context } from "./context.ts";
import type { Value } from "./receipt.ts";

/** The chain and the slot that a transaction stands in. */
export interface SlotPlace {
  readonly chain: string;
  readonly account: string;
  readonly sequence: bigint;
}

/** A dual signature that a body holds. */
export interface Consent {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** A kind whose body has been read by its own codec. */
export interface Kind {
  readonly name: string;
  readonly tag: number;
  readonly codec: Codec<unknown>;
  /** What the certificate fixes: the outcome (touches nothing shared) or only the execution. */
  fixes(body: unknown): Fixes;
  /** Why a body is none of this kind, or null. */
  fault(body: unknown): string | null;
  /** Signatures in the body, to be verified beside the owner's. */
  consents(body: unknown, slot: SlotPlace): readonly Consent[];
  /** Micro-USD beyond the floor, of a success. */
  beyond(body: unknown, alone: boolean): bigint;
  /**
   * Does it, and returns its events in order, but for those of claims, which are no part of a receipt.
   * @throws {Failure} when one of its checks fails.
   */
  apply(context: Context, body: unknown): readonly Value[];
}

/** What a certificate fixes. */
export type Fixes = "outcome" | "execution";

interface KindOf<Body> extends Pick<Kind, "name" | "tag"> {
  readonly codec: Codec<Body>;
  /** Of some kinds it depends on the body. */
  readonly fixes: Fixes | ((body: Body) => Fixes);
  fault?(body: Body): string | null;
  consents?(body: Body, slot: SlotPlace): readonly Consent[];
  beyond?(body: Body, alone: boolean): bigint;
  /** As of a {@link Kind}; returns its event, or a list of several, or null. */
  apply(context: Context, body: Body): Value;
}

/** A kind, with the type of its body checked against its codec and then left open. */
export function defineKind<Body>(kind: KindOf<Body>): Kind {
  return {
    name: kind.name,
    tag: kind.tag,
    codec: kind.codec as Codec<unknown>,
    fixes: (body) => typeof kind.fixes === "string" ? kind.fixes : kind.fixes(body as Body),
    fault: (body) => kind.fault?.(body as Body) ?? null,
    consents: (body, slot) => kind.consents?.(body as Body, slot) ?? [],
    beyond: (body, alone) => kind.beyond?.(body as Body, alone) ?? 0n,
    apply: (context, body) => eventsOf(kind.apply(context, body as Body)),
  };
}

function eventsOf(applied: Value): readonly Value[] {
  if (applied === null) return [];
  return Array.isArray(applied) ? applied as readonly Value[] : [applied];
}
