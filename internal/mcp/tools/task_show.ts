/** `sion_task_show`: a task, its rule, and how it stands. */
import { TASK_STATES } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import type { LedgerContext } from "./_context.ts";
import { decimalUsd, hex64 } from "./_shapes.ts";

export const taskShow = defineTool({
  name: "sion_task_show",
  title: "Show a task",
  description: "Show a task: poster, worker, escrow, deadline, the acceptance rule and its " +
    "state.",
  input: z.strictObject({ task: z.string() }),
  output: z.strictObject({
    adjudicator: z.nullable(z.strictObject({ account: hex64, atom: hex64, label: z.string() })),
    allotment: z.nullable(hex64),
    charter: z.nullable(hex64),
    deadline: z.int(),
    detection_permille: z.int(),
    escrow: decimalUsd,
    kappa: decimalUsd,
    paid: z.nullable(z.strictObject({
      pulse: z.int(),
      reserved_until: z.int(),
      result: hex64,
      worker: hex64,
    })),
    posted: z.int(),
    poster: hex64,
    refunded: z.nullable(z.int()),
    reliance_pulses: z.int(),
    requires: z.array(hex64),
    spec: z.nullable(hex64),
    state: z.enum(TASK_STATES),
    task: hex64,
    verifiers: z.array(hex64),
    worker: z.nullable(hex64),
  }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "task",
  fromPrograms: true,
  async run(context: LedgerContext, { task }) {
    const client = await context.client();
    return jsonResult(await client.tasks.show(task, { signal: context.signal }));
  },
});
