import { stringifyJson } from "#internal/core/mod.ts";
import type { Client, LedgerEventValue } from "#internal/client/mod.ts";
import { defineCommand, toggle, value } from "../command.ts";
import type { Output } from "../output.ts";
import { integer } from "../readers.ts";

const MOST = Number.MAX_SAFE_INTEGER;

export const command = defineCommand({
  path: "events",
  brief:
    "List what happened on the chain, one event a line: the Pulse, the transaction, and what it " +
    "did. With --from the first events from that Pulse on, else the newest of the last 20 Pulses.",
  args: {},
  flags: {
    from: value(integer(0, MOST, "PULSE"), "the first Pulse", {
      default: "20 Pulses ago; with --follow the next",
    }),
    limit: value(integer(1, 100_000), "at most so many", { default: "50; with --follow all" }),
    follow: toggle("go on as events happen, until Ctrl-C"),
  },
  examples: [
    ["sion events", "the last 20 Pulses"],
    ["sion events --limit 5", "the newest five of them"],
    ["sion events --from 200 --limit 10", "ten events from Pulse 200 on"],
    ["sion events --follow --json", "one JSON object a line, as they happen"],
  ],
  json: "as sion_events returns it; with --follow one object a line",
  node: true,
  endless: true,
  async run({ client, output, json, signal }, { flags: { from, limit, follow } }) {
    const opened = await client();
    const range = from === undefined ? {} : { from };
    if (!follow) {
      const events = await opened.events({ ...range, ...(limit === undefined ? {} : { limit }) }, {
        signal,
      });
      if (json) return output.json(events);
      const tell = await teller(opened, output, signal);
      for (const event of events) output.line(tell(event));
      if (events.length === 0) output.note("no events in these Pulses: give an earlier --from");
      return;
    }
    let left = limit ?? Infinity;
    const tell = await teller(opened, output, signal);
    for await (const event of opened.followEvents(range, { signal })) {
      if (json) output.jsonLine(event);
      else output.line(tell(event));
      if (--left <= 0) return;
    }
  },
});

/** How a line tells an event. One that this version does not know is told as data. */
async function teller(
  client: Client,
  output: Output,
  signal: AbortSignal,
): Promise<(event: LedgerEventValue) => string> {
  const { createLedger } = await import("#internal/ledger/mod.ts");
  const [ledger, names] = [createLedger(), await client.names({ signal })];
  return ({ event, pulse, tx }) => {
    const [name, fields] = Object.entries(event as object)[0] ?? ["", {}];
    const told = ledger.event(event, names) ?? `${name} ${stringifyJson(fields)}`;
    return `Pulse ${pulse} ${tx === null ? "the system" : output.id(tx)}: ${told}`;
  };
}
