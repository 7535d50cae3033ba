/** Lanes of things that are ready to be sent: many in flight at once, of each lane one at a time. */

/** How lanes are sent. */
export type LanesOptions<T> = {
  /** Each in its order. */
  readonly lanes: readonly (readonly T[])[];
  /** How many are on their way at once, at most one a lane. */
  readonly inFlight: number;
  /** Whether another is sent. */
  readonly goesOn: () => boolean;
  /** Sends one, until it counts as done. */
  readonly send: (item: T) => Promise<void>;
};

/** Sends from all lanes in turn until it is to end or nothing is left. @throws what `send` does */
export async function sendLanes<T>(
  { lanes, inFlight, goesOn, send }: LanesOptions<T>,
): Promise<void> {
  const free = lanes.map((items) => ({ items, next: 0 }));
  const worker = async (): Promise<void> => {
    while (goesOn()) {
      const lane = free.shift();
      const item = lane?.items[lane.next];
      if (lane === undefined || item === undefined) return;
      lane.next += 1;
      await send(item);
      if (lane.next < lane.items.length) free.push(lane);
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, lanes.length) }, worker));
}
