/** The session's first event: what it was opened with. */
import * as z from "zod";
import type { SessionSettings } from "../state.ts";
import { anyJson, count, defineEvent } from "./_event.ts";
import { micro } from "./_usage.ts";

const autonomy = z.union([
  z.literal(0),
  z.literal(1),
  z.literal(2),
  z.literal(3),
  z.literal(4),
  z.literal(5),
  z.literal(6),
]);

/** Settings hold for the session's life, so that `sion agent continue` needs no options. */
export const sessionOpened = defineEvent<SessionSettings>({
  kind: "session-opened",
  v: 1,
  body: () =>
    z.object({
      agent: z.string(),
      wallet: z.string(),
      autonomy,
      models: z.array(z.string()),
      workspace: z.string().exactOptional(),
      capabilities: z.record(z.string(), anyJson).exactOptional(),
      node: z.string().exactOptional(),
      chain: z.string().exactOptional(),
      limits: z.object({
        steps: count,
        tokens: count,
        wallMs: count,
        usdMicro: micro.exactOptional(),
      }),
      budgets: z.array(z.string()).exactOptional(),
    }),
  apply(state, { body }) {
    state.settings = body;
  },
  listed: ({ agent }) => ({ agent, standing: "open" }),
  trace: ({ body }) => [
    `opened for agent ${body.agent} (wallet ${body.wallet}) at autonomy L${body.autonomy}`,
  ],
});
