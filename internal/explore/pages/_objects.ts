/** Objects of the ledger as pages list them: a bounded number, in the order of their ids. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { ToldObject } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";
import type { PageContext } from "../page.ts";

/** Objects that were read, and whether there are more than that. */
export interface ListedObjects {
  readonly objects: readonly ToldObject[];
  readonly more: boolean;
}

/** Objects of a kind, at most `most` of them, a whole number of pages. */
export async function listedObjects(
  { client, signal }: Pick<PageContext, "client" | "signal">,
  kind: string,
  most: number,
  where?: { readonly member: string; readonly equals: string },
): Promise<ListedObjects> {
  const objects: ToldObject[] = [];
  let after: string | undefined;
  while (objects.length < most) {
    const page = await client.rpc.objects({
      kind,
      limit: Math.min(MAX_PAGE, most - objects.length),
      ...(after === undefined ? {} : { after }),
      ...(where === undefined ? {} : { where }),
    }, { signal });
    objects.push(...page.objects.map(({ id, object }) => ({
      id,
      object: object as { readonly [member: string]: JsonValue },
    })));
    after = page.next;
    // A node that tells nothing and promises more is not asked for ever.
    if (after === undefined || page.objects.length === 0) return { objects, more: false };
  }
  return { objects, more: true };
}
