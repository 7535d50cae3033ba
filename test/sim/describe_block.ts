/** A block in a line, for the trace of a run. */
import type { Block } from "#internal/consensus/mod.ts";
import { toHex } from "#internal/core/mod.ts";

/** Its place, parents, and what it carries and says. */
export function describeBlock({ id, header, body }: Block): string {
  const parents = header.parents.map(({ round, author, id }) =>
    `${author}@${round}:${toHex(id).slice(0, 4)}`
  );
  const said = body.statements.map(({ kind, body }) => {
    const { unit, named, pulse } = body as { unit?: string; named?: string | null; pulse?: bigint };
    return `${kind}:${pulse ?? unit?.slice(0, 8) ?? named?.slice(0, 8) ?? "none"}`;
  });
  return `round ${header.round} ${id.slice(0, 8)} on ${
    parents.join(" ")
  } carries ${body.units.length} says ${said.join(" ")}`;
}
