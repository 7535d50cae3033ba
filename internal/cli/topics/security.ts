import type { Topic } from "./_topic.ts";

/** `sion help security`. */
export const security: Topic = {
  name: "security",
  text: () =>
    `A wallet is a seed in ~/.sion/wallets, readable by its owner only. Who has the
  seed has the money; there is no way to get a lost seed back. Copy the file.
On a devnet a name without a file is a wallet too: its seed follows from the
  name, and everybody knows it. A file of that name wins.
What an agent may pay is decided by the ledger (payees, limits, bucket, expiry,
  suspension), whatever the agent was told or the model decides.
The node you ask vouches for what it tells. --chain insists on a chain identity.
Nothing is sent but to the node you name: no telemetry, no update check.
What a protection of agents rests on has a name, as agent:same-user: any program
  of yours can read the seeds. docs/threat-model.md says what each one means.`,
};
