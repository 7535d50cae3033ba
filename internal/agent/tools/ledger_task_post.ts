/** Money of the agent's budget in escrow for work, under a rule that is fixed now. */
import * as z from "zod";
import {
  FULL_DETECTION,
  MAX_RESERVATION_PULSES,
  MAX_TASK_PULSES,
  parseFactor,
  parseUsd,
  utf8,
} from "#internal/core/mod.ts";
import type { Outcome } from "#internal/client/mod.ts";
import {
  accountOf,
  idOf,
  MAX_IDS,
  outcomeResult,
  recoverSigned,
  safetyFactor,
  signed,
  usd,
} from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_SPEC = 65_536;
const upTo = (most: number, what: string) => z.int().min(1).max(most).describe(what).optional();

const posted = (outcome: Outcome) => outcomeResult(outcome, "Task");

export const ledgerTaskPost = defineAgentTool({
  name: "ledger_task_post",
  title: "Post a task",
  description:
    "Put USD of your budget in escrow for work. A result is paid only if it rests on the " +
    "required claims and on the worker's bond or a verifier's attestation, and passes your decision " +
    "rule. Without worker it is a bounty.",
  input: () =>
    z.strictObject({
      adjudicator: z.string().min(1).max(160)
        .describe("Who judges results, like carol:judge").optional(),
      amount: usd("Escrow in USD, paid for an accepted result"),
      deadline_pulses: upTo(Number(MAX_TASK_PULSES), "Pulses to settle it in, default 1000"),
      detection_permille: upTo(FULL_DETECTION, "Largest detection factor of results, default 900"),
      kappa: safetyFactor.optional(),
      reliance_pulses: upTo(
        Number(MAX_RESERVATION_PULSES),
        "Pulses the backing of a paid result stays held, default 1000",
      ),
      requires: z.array(idOf()).max(MAX_IDS).describe("Claims every result must rest on")
        .optional(),
      spec: z.string().max(MAX_SPEC).describe("The work; its hash is kept on the ledger")
        .optional(),
      verifiers: z.array(z.string().min(1).max(64)).max(MAX_IDS)
        .describe("Whose attestations count: wallet names or accounts").optional(),
      worker: accountOf("Who alone can be paid").optional(),
    }),
  needs: ["tasks"],
  highestEffect: "spend",
  says: ({ amount, worker }) =>
    `Put ${amount} USD in escrow for ${worker ?? "whoever settles the bounty"}.`,
  targets: ({ amount, worker }) => [
    { kind: "account", to: worker ?? "whoever settles the bounty", amount },
  ],
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "worker",
  fromPrograms: false,
  async run(context, given) {
    const { amount, kappa, spec, requires, verifiers, adjudicator, worker } = given;
    const task = {
      amount: parseUsd(amount),
      kappa: kappa === undefined ? undefined : parseFactor(kappa),
      spec: spec === undefined ? undefined : utf8(spec.toWellFormed()),
      requires,
      verifiers,
      adjudicator,
      worker,
      detection: given.detection_permille,
      reliancePulses: given.reliance_pulses,
      deadlinePulses: given.deadline_pulses,
    };
    return await signed(context, (acting) => context.ledger.tasks.post(task, acting), posted);
  },
  recover: (context, _input, notes) => recoverSigned(context, notes, posted),
});
