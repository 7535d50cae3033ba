/**
 * The unit that checks what a node says, loaded by the few calls that do. Named so that Deno does not read it
 * before the program starts (docs/decisions/0049-what-a-start-reads.md).
 */
import type * as Proofs from "#internal/proofs/mod.ts";
import type * as Light from "./light_source.ts";

/** The unit. */
export async function proofsUnit(): Promise<typeof Proofs> {
  return await import("#internal/proofs/mod.ts" as string) as typeof Proofs;
}

/** As `light_source.ts` has it. */
export async function lightSource(
  ...asked: Parameters<typeof Light.lightSource>
): Promise<ReturnType<typeof Light.lightSource>> {
  const { lightSource } = await import("./light_source.ts" as string) as typeof Light;
  return lightSource(...asked);
}
