/** `sion_task_post`: money in escrow for work, under a rule that is fixed now. */
import {
  DEFAULT_KAPPA,
  DEFAULT_RELIANCE_PULSES,
  DEFAULT_TASK_DETECTION,
  DEFAULT_TASK_PULSES,
  formatFactor,
  formatUsd,
  FULL_DETECTION,
  MAX_RESERVATION_PULSES,
  MAX_TASK_PULSES,
  utf8,
} from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, safetyFactor, transactionStatus, usd, wholeNumber } from "./_shapes.ts";

export const taskPost = defineTool({
  name: "sion_task_post",
  title: "Post a task",
  description: "Post a task (Task Charters): escrow money for work whose acceptance rule is " +
    "fixed now. A result is paid only if it rests on every required claim (for " +
    "example an environment vendor’s bonded ‘no known exploit’ claim) and on the " +
    "worker’s bond or a named verifier’s attestation, and passes the poster’s " +
    "decision rule; κ times the payment of its backing is then reserved, so a " +
    "result later proven false compensates the poster. Without worker, the task is " +
    "a bounty anyone may settle. With charter and allotment, the escrow comes from " +
    "that agent’s budget under its caveats.",
  input: z.strictObject({
    adjudicator: z.optional(
      z.string().check(z.describe("Adjudicator atom id (hex) results must name")),
    ),
    allotment: z.optional(
      z.string().check(z.describe("The agent’s allotment (hex), with charter")),
    ),
    amount_usd: usd.check(z.describe("Escrow, paid in full for an accepted result")),
    charter: z.optional(
      z.string().check(z.describe("Post from this agent’s budget (charter id, hex)")),
    ),
    deadline_pulses: z.optional(
      wholeNumber(1, Number(MAX_TASK_PULSES)).check(
        z.describe(`Pulses until the deadline (default ${DEFAULT_TASK_PULSES})`),
      ),
    ),
    detection_permille: z.optional(
      wholeNumber(1, FULL_DETECTION).check(
        z.describe(
          `Largest detection factor results may declare (default ${DEFAULT_TASK_DETECTION})`,
        ),
      ),
    ),
    kappa: z.optional(
      safetyFactor.check(z.describe(`Safety factor κ (default ${formatFactor(DEFAULT_KAPPA)})`)),
    ),
    reliance_pulses: z.optional(
      wholeNumber(1, Number(MAX_RESERVATION_PULSES)).check(
        z.describe(
          "Pulses the backing of a paid result stays reserved " +
            `(default ${DEFAULT_RELIANCE_PULSES})`,
        ),
      ),
    ),
    requires: z.optional(
      z.array(z.string()).check(z.describe("Claim ids every result must rest on")),
    ),
    spec: z.optional(
      z.string().check(z.describe("The task’s description; its bytes are committed")),
    ),
    verifiers: z.optional(
      z.array(z.string()).check(
        z.describe("Verifiers whose attestations count (wallets or accounts)"),
      ),
    ),
    wallet: z.string().check(z.describe("The poster’s wallet (the agent’s, with charter)")),
    worker: z.optional(
      z.string().check(z.describe("The worker (wallet or account); omit for an open bounty")),
    ),
  }),
  output: z.strictObject({
    pulse: z.int(),
    receipt: z.string(),
    status: transactionStatus,
    task: z.optional(hex64),
  }),
  highestEffect: "spend",
  targets: ({ amount_usd, worker }) => [
    { kind: "account", to: worker ?? "whoever settles the bounty", amount: formatUsd(amount_usd) },
  ],
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "worker",
  fromPrograms: false,
  async run(context: LedgerContext, given) {
    const client = await context.client();
    const { pulse, receipt, status, task } = await client.tasks.post({
      wallet: given.wallet,
      amount: given.amount_usd,
      worker: given.worker,
      spec: given.spec === undefined ? undefined : utf8(given.spec),
      requires: given.requires,
      verifiers: given.verifiers,
      adjudicator: given.adjudicator,
      kappa: given.kappa,
      detection: given.detection_permille,
      reliancePulses: given.reliance_pulses,
      deadlinePulses: given.deadline_pulses,
      charter: given.charter,
      allotment: given.allotment,
      ...signOptions(context),
    });
    return jsonResult({ pulse, receipt, status, ...(task === undefined ? {} : { task }) });
  },
});
