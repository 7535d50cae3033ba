/** Events of the ledger as a stream that goes on with every Pulse. */
import type { EventView, RpcCalls } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";

/** One event and where the stream goes on after it. */
export interface FedEvent {
  readonly event: EventView;
  /** `<Pulse>-<events of it to pass over>`. */
  readonly id: string;
}

/** A source of events. */
export interface EventFeed {
  /** Events from a Pulse on (default: from the next Pulse on), until the signal aborts. */
  follow(from: number | undefined, signal: AbortSignal): AsyncIterable<FedEvent>;
}

/** A feed over a node's calls; `onPulse` tells it when to look again. */
export function createEventFeed(
  calls: Pick<RpcCalls, "events" | "status">,
  onPulse: (callback: () => void) => void,
): EventFeed {
  let pulses = 0;
  // Who waits for the next Pulse. Nothing of a wait outlives it, however long a stream goes on.
  const waiting = new Set<() => void>();
  onPulse(() => {
    pulses++;
    for (const wake of waiting) wake();
  });
  const pulseAfter = (known: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (pulses !== known || signal.aborted) return resolve();
      const wake = (): void => {
        waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  return {
    async *follow(from, signal) {
      let place = { from: from ?? (await calls.status({})).pulse + 1, skip: 0 };
      while (!signal.aborted) {
        // Taken before asking, so that a Pulse in between is not slept through.
        const known = pulses;
        const page = await calls.events({ ...place, limit: MAX_PAGE });
        for (const event of page.events) {
          const skip = event.pulse === place.from ? place.skip + 1 : 1;
          place = { from: event.pulse, skip };
          yield { event, id: `${place.from}-${place.skip}` };
          if (signal.aborted) return;
        }
        place = page.next;
        if (page.events.length < MAX_PAGE) await pulseAfter(known, signal);
      }
    },
  };
}
