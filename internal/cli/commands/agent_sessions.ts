import { escapeLine } from "#internal/core/mod.ts";
import type { ListedSession } from "#internal/agent/mod.ts";
import { defineCommand, value } from "../command.ts";
import { integer, text } from "../readers.ts";
import { openMachine } from "./_conversation.ts";

/** The most sessions that are shown at once. */
const MOST = 1_000;

export const command = defineCommand({
  path: "agent sessions",
  brief: "List agents' sessions, the newest first: id, when, standing, agent, title.",
  args: {},
  flags: {
    search: value(text("TEXT"), "only those in which all these words were said at once"),
    limit: value(integer(1, MOST), "at most so many", { default: "50" }),
  },
  examples: [
    ["sion agent sessions", "the last fifty"],
    ["sion agent sessions --search 'invoice 7'", "where that was spoken of"],
  ],
  json:
    "a list of {agent, events, last_ms, session, standing, task, title}, with --search also excerpt",
  node: false,
  async run(context, { flags: { search, limit } }) {
    const { output } = context;
    const { listSessions, minuteText, searchSessions } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const found: readonly (ListedSession & { readonly excerpt?: string })[] = search === undefined
      ? listSessions(machine, limit)
      : searchSessions(machine, search, limit);
    if (context.json) return output.json(found);
    for (const one of found) {
      const when = minuteText(one.last_ms);
      const agent = output.id(one.agent);
      output.line(`${one.session} ${when} ${one.standing} ${agent} ${escapeLine(one.title)}`);
      if (one.excerpt !== undefined) output.line(`  ${escapeLine(one.excerpt)}`);
    }
    if (found.length === 0) {
      output.note(
        search === undefined
          ? "no sessions yet: `sion agent run` makes one"
          : "nobody said that in a session here: try fewer words",
      );
    }
    output.hint([
      "sion agent trace <session>      what happened in one",
      "sion agent continue <session>   go on with one",
    ]);
  },
});
