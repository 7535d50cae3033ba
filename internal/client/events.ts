/** What happened on the chain: from a Pulse on, of late, and as it happens. */
import type { Digest, JsonValue } from "#internal/core/mod.ts";
import { DEFAULT_EVENTS, MAX_PAGE } from "#internal/rpc/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import { checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import type { Abortable, LedgerEventValue } from "./types.ts";

/** How often new events are looked for, ms. */
const FOLLOW_MS = 500;

type Page = Awaited<ReturnType<Context["rpc"]["events"]>>;

/** The first events from a Pulse on; without one the newest of the last Pulses. In their order. */
export async function listEvents(
  context: Context,
  { from, limit = DEFAULT_EVENTS }: { readonly from?: number; readonly limit?: number },
  options: Abortable = {},
): Promise<readonly LedgerEventValue[]> {
  await checkPinned(context, options.signal);
  const found: LedgerEventValue[] = [];
  const isFull = (): boolean => from !== undefined && found.length >= limit;
  let place: Partial<Page["next"]> = from === undefined ? {} : { from };
  for (let isLast = false; !isLast && !isFull();) {
    const most = from === undefined ? MAX_PAGE : Math.min(limit - found.length, MAX_PAGE);
    const page = await context.rpc.events({ ...place, limit: most }, options);
    found.push(...page.events.map(eventValue));
    // What is older than the newest is only passed on the way to them.
    if (from === undefined) found.splice(0, found.length - limit);
    isLast = page.events.length < most;
    place = page.next;
  }
  return found;
}

/** Events as they happen, from a Pulse on (default: from the next), until the signal aborts. */
export async function* followEvents(
  context: Context,
  range: { readonly from?: number },
  options: Abortable = {},
): AsyncGenerator<LedgerEventValue> {
  await checkPinned(context, options.signal);
  const from = range.from ?? (await context.rpc.status({}, options)).pulse + 1;
  let place: Page["next"] = { from, skip: 0 };
  for (;;) {
    const page = await context.rpc.events({ ...place, limit: MAX_PAGE }, options);
    yield* page.events.map(eventValue);
    place = page.next;
    if (page.events.length === 0) await sleep(FOLLOW_MS, options.signal);
  }
}

function eventValue({ event, pulse, tx }: Page["events"][number]): LedgerEventValue {
  return { event: event as JsonValue, pulse, tx: tx as Digest | null };
}
