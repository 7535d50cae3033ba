/** What a transaction kind is here: how its body is encoded, when it is one, and what it does. */
import type { Codec } from "#internal/core/mod.ts";
import type { Context } from "./context.ts";
import type { Value } from "./receipt.ts";

/** A kind whose body has been read by its own codec. */
export interface Kind {
  readonly name: string;
  readonly tag: number;
  readonly codec: Codec<unknown>;
  /** What the certificate fixes: the outcome (touches nothing shared) or only the execution. */
  readonly fixes: "outcome" | "execution";
  /** Why a body is none of this kind, or null. */
  fault(body: unknown): string | null;
  /** Micro-USD beyond the floor, of a success. */
  beyond(body: unknown, alone: boolean): bigint;
  /** Does it, and returns its event. @throws {Failure} when one of its checks fails. */
  apply(context: Context, body: unknown): Value;
}

interface KindOf<Body> extends Omit<Kind, "codec" | "fault" | "beyond" | "apply"> {
  readonly codec: Codec<Body>;
  fault?(body: Body): string | null;
  beyond?(body: Body, alone: boolean): bigint;
  apply(context: Context, body: Body): Value;
}

/** A kind, with the type of its body checked against its codec and then left open. */
export function defineKind<Body>(kind: KindOf<Body>): Kind {
  return {
    name: kind.name,
    tag: kind.tag,
    codec: kind.codec as Codec<unknown>,
    fixes: kind.fixes,
    fault: (body) => kind.fault?.(body as Body) ?? null,
    beyond: (body, alone) => kind.beyond?.(body as Body, alone) ?? 0n,
    apply: (context, body) => kind.apply(context, body as Body),
  };
}
