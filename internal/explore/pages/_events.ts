/** Events as pages look for them: the newest first, though nodes tell them from a Pulse on. */
import type { EventView } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";
import type { PageContext } from "../page.ts";

/** How often the node is asked for one page. */
const MAX_QUESTIONS = 20;
/** How much wider each step back is than the one before. */
const WIDER = 4;

/** What is looked for. */
export interface Wanted {
  /** The newest and the oldest Pulse. */
  readonly newest: number;
  readonly oldest: number;
  /** Events at most. */
  readonly most: number;
  matches(event: EventView): boolean;
}

/** What was found, newest first, and the first Pulse from which on all events were looked at. */
export interface FoundEvents {
  readonly found: readonly EventView[];
  readonly since: number;
}

/** The newest events that match. It goes back in steps, so that a busy chain's old ones are not read. */
export async function newestEvents(context: PageContext, wanted: Wanted): Promise<FoundEvents> {
  const { newest, oldest, most } = wanted;
  const between = reader(context);
  const found: EventView[] = [];
  let since = newest + 1;
  for (let width = 1; since > oldest && found.length < most; width *= WIDER) {
    const first = Math.max(oldest, since - width);
    const events = await between(first, since - 1);
    if (events === undefined) break;
    found.push(...events.filter((event) => wanted.matches(event)).reverse());
    since = first;
  }
  return { found: found.slice(0, most), since };
}

/** Reads all events of some Pulses, in order; undefined once the node was asked too often. */
function reader({ client, signal }: PageContext) {
  let left = MAX_QUESTIONS;
  return async (first: number, last: number): Promise<readonly EventView[] | undefined> => {
    const events: EventView[] = [];
    let place: { readonly from: number; readonly skip?: number } = { from: first };
    while (left-- > 0) {
      const page = await client.rpc.events({ ...place, limit: MAX_PAGE }, { signal });
      events.push(...page.events.filter(({ pulse }) => pulse <= last));
      if (page.events.length < MAX_PAGE || page.next.from > last) return events;
      place = page.next;
    }
    return undefined;
  };
}
