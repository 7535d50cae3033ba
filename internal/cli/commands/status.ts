import { formatUsdGrouped } from "#internal/core/mod.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  path: "status",
  brief: "Show the latest Pulse, the chain's identity and the transaction counts.",
  args: {},
  flags: {},
  examples: [
    ["sion status", "the node's view of the chain"],
    ["sion status --json", "all of it, for programs"],
  ],
  json: "as sion_status returns it",
  node: true,
  async run({ client, output, json, signal }) {
    const opened = await client();
    const status = await opened.status({ signal });
    if (json) return output.json(status);
    const [succeeded, failed, voided] = status.executed;
    output.line(`chain ${status.chain_id}, identity ${status.chain}`);
    output.line(
      `Pulse ${status.pulse}, certified ${status.certified_pulse}, round ${status.round}`,
    );
    output.line(
      `${status.active_validators} of ${status.validators} validators active, ` +
        `${status.shards} shards, epoch ${status.epoch}, session ${status.session}`,
    );
    const own = status.validator === status.chain ? "" : ` key ${output.id(status.validator)}`;
    output.line(
      status.active ? `this node signs,${own}` : `this node follows${own === "" ? "" : `,${own}`}`,
    );
    output.line(
      `transactions: ${succeeded} succeeded, ${failed} failed, ${voided} void; ` +
        `${formatUsdGrouped(BigInt(status.objects) * 1_000_000n)} objects, ${status.claims} claims`,
    );
    if (status.forced_pending + status.forced_overdue > 0) {
      output.line(`forced: ${status.forced_pending} pending, ${status.forced_overdue} overdue`);
    }
    if (status.insecure_signatures) output.line("signatures: insecure, for tests only");
  },
});
