/** What the groups of commands are for, and in which order help lists what is in them. */
import type { Example } from "./command.ts";

/** A group of commands, as of `sion wallet`. */
export interface Group {
  /** The first line of its help: a sentence. */
  readonly brief: string;
  readonly examples: readonly Example[];
  /** The last words of its commands, in the order in which a person meets them; a test compares. */
  readonly order: readonly string[];
}

/** By the words after `sion`. */
export const groups: { readonly [group: string]: Group } = {
  agent: {
    brief: "Agents: programs with an account of their own, which pay within a budget of yours.",
    examples: [
      ["sion agent create alice coder --budget 10 --payee bob", "10 USD, for bob alone"],
      ["sion agent run coder coder --task 'pay bob 1' --model script:turns.json", "let it work"],
      ["sion agent suspend alice coder", "stop its payments"],
    ],
    order: [
      "create",
      "spawn",
      "list",
      "show",
      "run",
      "talk",
      "continue",
      "fork",
      "sessions",
      "trace",
      "hooks",
      "doctor",
      "suspend",
      "resume",
      "revoke",
      "profile",
      "budget",
      "credential",
    ],
  },
  "agent profile": {
    brief: "Profiles: an agent and the options that its sessions are opened with, under a name.",
    examples: [
      ["sion agent profile add lead coder d85ed254 --model script:turns.json", "keep one"],
      ["sion agent profile set lead --autonomy L5", "paying waits for you"],
      ["sion agent profile token add lead", "for someone who may write to it"],
    ],
    order: ["add", "list", "show", "set", "remove", "token"],
  },
  "agent profile token": {
    brief: "Tokens of profiles: each reaches one profile, to write to it or to decide too.",
    examples: [
      ["sion agent profile token add lead", "for someone who may write to it"],
      ["sion agent profile token list", "who reaches what"],
    ],
    order: ["add", "list", "remove"],
  },
  "agent budget": {
    brief: "Budgets: what the models of a profile's runs, or of all runs here, may cost together.",
    examples: [
      ["sion agent budget set lead 5 --per day", "all runs of profile lead together"],
      ["sion agent budget list", "what is used of each"],
    ],
    order: ["set", "list", "remove"],
  },
  "agent credential": {
    brief: "Credentials: keys and settings that agents' models and tools use, kept encrypted.",
    examples: [
      ["sion agent credential add ANTHROPIC_API_KEY", "asks for it, and shows nothing of it"],
      ["sion agent credential list", "names only"],
    ],
    order: ["add", "list", "remove"],
  },
  "agent hooks": {
    brief:
      "Hooks: commands of yours around your agents' tool calls and runs, which may block a call.",
    examples: [
      ["sion agent hooks add --event before-tool -- ~/guard.sh", "ask it before each call"],
      ["sion agent hooks list", "by number"],
    ],
    order: ["add", "list", "remove"],
  },
  bond: {
    brief: "Bonds: money at stake behind what you claim, which is lost where that is found false.",
    examples: [
      ["sion bond post dana tests 100", "100 USD at stake"],
      ["sion bond show dana", "what is at stake, what is held for whom"],
    ],
    order: ["post", "add", "show", "release"],
  },
  charter: {
    brief: "Charters: what an agent may pay, whom, how fast, and the money put under that.",
    examples: [
      ["sion charter show e2737343", "what is allowed, what is left"],
      ["sion charter narrow alice e2737343 --max-payment 0.5", "at most 0.5 USD a payment"],
      ["sion charter reclaim alice 755f14ba", "take back what is left"],
    ],
    order: ["create", "allot", "list", "show", "pay", "narrow", "reclaim", "revoke"],
  },
  genesis: {
    brief: "Genesis: how a network of several machines begins, its validators' keys included.",
    examples: [
      ["sion genesis key v0", "a validator's key, its store and its public part"],
      ["sion genesis new genesis.json --validator v0/validator.json", "what the chain begins from"],
      ["sion genesis new testnet --validators 4", "a whole test network in one folder"],
    ],
    order: ["key", "new"],
  },
  claim: {
    brief: "Claims: statements on the ledger, with what they rest on and what that is worth.",
    examples: [
      ['sion claim issue dana "Invoice 88 was paid in full"', "state something"],
      ["sion claim assess e825c122 --value 1000", "may 1,000 USD rest on it?"],
    ],
    order: ["issue", "list", "show", "assess", "reserve", "dispute", "judge", "revoke"],
  },
  skill: {
    brief:
      "Skills: instructions and scripts for agents, as releases that are pinned, and what each may do.",
    examples: [
      [
        "sion skill install word-count.skill.tar --claim e825c122",
        "after a look at what it may do",
      ],
      ["sion skill list", "those that are here"],
    ],
    order: ["pack", "publish", "assess", "install", "review", "list", "remove"],
  },
  task: {
    brief: "Tasks: money in escrow for work, paid for a result that passes a rule fixed before.",
    examples: [
      ["sion task post alice --amount 5 --worker bob --adjudicator carol:judge", "5 USD for bob"],
      ["sion task submit bob 5bc688d4 --output-file primes.txt", "hand a result in"],
      ["sion task settle bob 5bc688d4 e825c122", "be paid"],
    ],
    order: ["post", "list", "show", "attest", "submit", "settle", "refund"],
  },
  validator: {
    brief: "Validators: what their operators do with the ledger.",
    examples: [
      ["sion validator rotate-key savings 91fa8cbb --key v2-new/key.json", "change a key"],
    ],
    order: ["rotate-key"],
  },
  stake: {
    brief: "Stake: money behind validators, which gives them weight, earns a share of the " +
      "fees, and is lost in part where they cheat.",
    examples: [
      ["sion stake pools", "validators, their stake, commission and weight"],
      ["sion stake delegate alice d7c1b77d 5000", "earns from the epoch's end on"],
      ["sion stake show alice", "what it earned"],
    ],
    order: [
      "pools",
      "delegate",
      "show",
      "claim",
      "undelegate",
      "withdraw",
      "register",
      "commission",
      "leave",
      "report",
    ],
  },
  memory: {
    brief:
      "Memory logs: what a robot or an agent saw, kept here; the ledger keeps a head that proves " +
      "answers complete.",
    examples: [
      ["sion memory open robot-7", "a log"],
      ["sion memory remember robot-7 5bc688d4 door-2 open true", "a statement, without the ledger"],
      ["sion memory commit robot-7 5bc688d4", "move the ledger's head to it"],
    ],
    order: ["open", "remember", "commit", "recall", "verify", "list"],
  },
  storage: {
    brief: "Storage: files kept for money by whoever proves, round after round, to hold them.",
    examples: [
      ["sion storage post robot-7 patrol.bin --price 0.25 --rounds 4 --local", "have a file kept"],
      ["sion storage provide bob --local .", "keep files for others"],
      ["sion storage fetch 66f5ffa4 --out patrol.bin", "get it back"],
    ],
    order: ["post", "deals", "show", "provide", "accept", "prove", "close", "fetch"],
  },
  wallet: {
    brief: "Wallets: names for seeds that are kept in files here, readable by you only.",
    examples: [
      ["sion wallet new savings", "make one"],
      ["sion wallet list", "yours, one a line"],
    ],
    order: ["new", "list", "show", "import"],
  },
  x402: {
    brief: "x402: payment for HTTP, for whoever charges.",
    examples: [
      ["sion x402 serve --price 0.25 --pay-to bob", "something to pay for, to try it with"],
      [
        "sion x402 serve --price 0.01 --pay-to bob --upstream http://127.0.0.1:3000",
        "charge for a server of yours",
      ],
    ],
    order: ["serve"],
  },
};
