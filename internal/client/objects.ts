/** Objects of the ledger for commands: by id or its beginning, and in lists. */
import { isHex64, quoteOddWord, shortId, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ObjectView } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";
import type { Context } from "./context.ts";
import { badArgument, notFound } from "./errors.ts";
import type { Abortable, ObjectValue } from "./types.ts";

const PREFIX = /^[0-9a-f]{4,63}$/;

/** The kind whose objects have names; nothing keeps two from having the same. */
const NAMED_KIND = "identity";

/**
 * The object of a kind with an id, or with the one id that begins so (at least four digits). An
 * agent goes by its name too, where only one has it.
 * @throws {SionError} `not-found`; `argument` when the beginning is no hex or fits several.
 */
export async function findObject(
  context: Context,
  kind: string,
  id: string,
  options: Abortable = {},
): Promise<ObjectValue> {
  if (isHex64(id)) {
    const found = await context.rpc.object({ id }, options);
    if (!found.exists || found.kind !== kind) {
      throw notFound(`the ledger has no ${spoken(kind)} ${shortId(id)}: check the id`);
    }
    return objectValue({ id: found.id, kind, object: found.object });
  }
  const named = kind === NAMED_KIND;
  if (!PREFIX.test(id) && !named) {
    throw badArgument(
      `${quoteOddWord(id)} is no id of ${article(kind)}: give its 64 hex digits, or the first few`,
    );
  }
  const matches = (await listObjects(context, kind, undefined, options)).filter((object) =>
    (PREFIX.test(id) && object.id.startsWith(id)) || (named && object.object["name"] === id)
  );
  const [match] = matches;
  const shown = quoteOddWord(id);
  if (match === undefined) {
    throw notFound(
      named
        ? `the ledger has no agent ${shown}: \`sion agent list\` shows those there are`
        : `the ledger has no ${spoken(kind)} ${shown}: check the id`,
    );
  }
  if (matches.length > 1) {
    throw badArgument(
      named
        ? `${shown} may mean ${matches.length} agents (${
          matches.slice(0, 3).map((object) => shortId(object.id)).join(", ")
        }${matches.length > 3 ? ", …" : ""}): give an id`
        : `${shown} begins the ids of ${matches.length} of its kind: give more digits`,
    );
  }
  return match;
}

/** All objects of a kind, by id, or those whose member is an id. */
export async function listObjects(
  context: Context,
  kind: string,
  where?: { readonly member: string; readonly equals: string },
  options: Abortable = {},
): Promise<readonly ObjectValue[]> {
  const found: ObjectValue[] = [];
  let after: string | undefined;
  do {
    const page = await context.rpc.objects({
      kind,
      limit: MAX_PAGE,
      ...(where === undefined ? {} : { where }),
      ...(after === undefined ? {} : { after }),
    }, options);
    found.push(...page.objects.map(objectValue));
    after = page.next;
  } while (after !== undefined);
  return found;
}

function objectValue({ id, kind, object }: ObjectView): ObjectValue {
  return {
    id: id as string,
    kind,
    object: object as { readonly [member: string]: JsonValue },
  };
}

/** A member that every object of the kind has. @throws {SionError} `node-error` */
export function textMember({ object }: ObjectValue, member: string): string {
  const value = object[member];
  if (typeof value === "string") return value;
  throw new SionError("node-error", `the node gave no ${member} of an object: ask another node`);
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${spoken(kind)}` : `a ${spoken(kind)}`;
}

/** `memory_log` → `memory log` */
function spoken(kind: string): string {
  return kind.replaceAll("_", " ");
}
