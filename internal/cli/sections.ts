/** What the root's help shows: commands by what people want, a test compares it with the registry. */
import type { Section } from "./help.ts";

/** The headings of `sion help` in order. */
export const sections: readonly Section[] = [
  {
    heading: "A chain to try things on",
    entries: [
      ["devnet", "start a local chain, and go on from it later"],
      ["faucet alice 100", "give a devnet's account money"],
    ],
  },
  {
    heading: "Money",
    entries: [
      ["pay alice bob 1.5", "pay from a wallet of yours"],
      ["balance alice", "what an account has"],
      ["wallet", "make, list, show and import wallets"],
      ["receipt <digest>", "what became of a transaction"],
      ["submit <hex>", "send a transaction that was signed elsewhere"],
      ["fetch <url>", "fetch over HTTP, and pay if the server charges"],
      ["x402 serve", "charge for HTTP"],
    ],
  },
  {
    heading: "Agents",
    entries: [
      ["agent", "create agents with a budget, run them, suspend them"],
      ["skill", "skills for agents: install, review, pack, publish"],
      ["charter", "what an agent may pay, whom, how fast, from which money"],
      ["memory", "record what was seen, and recall it proven complete"],
      ["mcp", "offer the ledger to an AI client"],
    ],
  },
  {
    heading: "What can be relied on",
    entries: [
      ["claim", "state something, weigh what others state, dispute it"],
      ["bond", "put money at stake behind what you state"],
      ["task", "put money in escrow for work, hand results in, be paid"],
      ["storage", "have files kept, keep those of others, proven each round"],
    ],
  },
  {
    heading: "The chain",
    entries: [
      ["status", "latest Pulse, chain identity, transaction counts"],
      ["explore", "look at the chain in a browser"],
      ["events", "what happened, and what happens"],
      ["verify", "check a Pulse without believing the node"],
      ["light --chain <id>", "follow the chain, notice forks"],
    ],
  },
  {
    heading: "A network of one's own",
    entries: [
      ["genesis", "validators' keys, and what a chain begins from"],
      ["node", "run a validator, or a full node that follows"],
      ["validator", "change a validator's key"],
      ["gateway", "let many clients read a node, each so often"],
      ["stake", "delegate to validators, earn of the fees, register one"],
    ],
  },
  {
    heading: "This program",
    entries: [
      ["doctor", "look at what sion needs here, and mend it"],
      ["completion", "complete words in bash, zsh or fish"],
      ["--version", "which version this is"],
    ],
  },
];
