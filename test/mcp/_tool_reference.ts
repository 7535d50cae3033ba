/** The tools of `sion mcp` as the reference has them, word for word. */
const ACCOUNT = "A wallet name (devnet) or a 64-digit hex account ID";
const string = { type: "string" };
const account = { description: ACCOUNT, type: "string" };
const memoryLog = { description: "Memory log id (hex) or a unique prefix", type: "string" };
const integers = (description: string) => ({
  description,
  items: { type: "integer" },
  type: "array",
});

/** Name, description and input schema, as the reference has them. */
export const REFERENCE: readonly unknown[] = [
  {
    name: "sion_status",
    description:
      "Chain status: latest Pulse, certified Pulse, world commitment, transaction counts.",
    inputSchema: { properties: {}, type: "object" },
  },
  {
    name: "sion_balance",
    description: "Balances of an account.",
    inputSchema: { properties: { account }, required: ["account"], type: "object" },
  },
  {
    name: "sion_pay",
    description: "Pay USD from a wallet this server holds keys for. Final once the lane " +
      "certificate forms; executes in the next Pulse.",
    inputSchema: {
      properties: {
        amount_usd: { description: "Amount in USD", type: "number" },
        from: { description: "Wallet name", type: "string" },
        to: account,
      },
      required: ["amount_usd", "from", "to"],
      type: "object",
    },
  },
  {
    name: "sion_issue_claim",
    description: "Issue a claim (a statement with a trust formula). With bond_label the claim " +
      "rests on the issuer’s bond of that label; otherwise only on the issuer’s dual " +
      "post-quantum signature.",
    inputSchema: {
      properties: {
        bond_label: string,
        issuer: string,
        schema: string,
        subject: string,
        valid_for_pulses: { type: "integer" },
      },
      required: ["issuer", "subject"],
      type: "object",
    },
  },
  {
    name: "sion_assess_claim",
    description: "Before relying on a claim: compute its cost of corruption under a policy and " +
      "apply the decision rule min(δ·CoC, CoC(adjudicator)) ≥ κ·V. Returns accept/reject with " +
      "reasons.",
    inputSchema: {
      properties: {
        claim: { description: "Claim ID (hex)", type: "string" },
        distrust_atoms: {
          description: "Atom IDs to treat as worthless",
          items: { type: "string" },
          type: "array",
        },
        kappa: { description: "Safety factor κ (default 2)", type: "number" },
        value_usd: { description: "What you stand to lose if the claim is false", type: "number" },
      },
      required: ["claim", "value_usd"],
      type: "object",
    },
  },
  {
    name: "sion_agent_pay",
    description: "Pay from an Agent Charter allotment. The ledger enforces the charter’s payees, " +
      "per-payment limit, bucket (what it may spend at once and how fast that refills), expiry, " +
      "revocation and any narrowing above it; a receipt claim is issued if the charter requires " +
      "it.",
    inputSchema: {
      properties: {
        agent: string,
        allotment: string,
        amount_usd: { type: "number" },
        charter: string,
        payee: account,
        purpose: string,
      },
      required: ["agent", "allotment", "amount_usd", "charter", "payee", "purpose"],
      type: "object",
    },
  },
  {
    name: "sion_verify_pulse",
    description: "Verify a Pulse as a light client: chain identity, committee certificate, " +
      "receipts, state proof, data-availability sampling, the World Proof and lane certificates. " +
      "Pass the chain identity you trust as chain (64 hex digits); without it the node vouches " +
      "for itself.",
    inputSchema: {
      properties: {
        chain: { description: "Pinned chain identity (hex)", type: "string" },
        pulse: { type: "integer" },
      },
      type: "object",
    },
  },
  {
    name: "sion_events",
    description: "Recent events from a Pulse on.",
    inputSchema: {
      properties: { from: { type: "integer" }, limit: { type: "integer" } },
      type: "object",
    },
  },
  {
    name: "sion_submit_intent",
    description: "Submit a transaction the agent built and signed itself (hex of its canonical " +
      "encoding). Returns what it asks for as a sentence, then waits for its receipt unless wait " +
      "is false.",
    inputSchema: {
      properties: {
        tx: { description: "Hex-encoded signed transaction", type: "string" },
        wait: { description: "Wait for execution (default true)", type: "boolean" },
      },
      required: ["tx"],
      type: "object",
    },
  },
  {
    name: "sion_fetch_receipt",
    description: "Fetch a transaction’s receipt and verify it as a light client: the chain " +
      "identity, the committee certificate of its Pulse and the receipt’s inclusion proof. " +
      "Pass the chain identity you trust as chain.",
    inputSchema: {
      properties: {
        chain: { description: "Pinned chain identity (hex)", type: "string" },
        digest: { description: "Transaction digest (hex)", type: "string" },
      },
      required: ["digest"],
      type: "object",
    },
  },
  {
    name: "sion_memory_open",
    description: "Open a memory log on the ledger: an append-only log of memory atoms kept off " +
      "the ledger, whose head the ledger moves only along proofs that the log grew. With agent, " +
      "the log belongs to that agent identity (the wallet must be its agent) and cannot grow " +
      "while the agent is suspended.",
    inputSchema: {
      properties: {
        agent: { description: "Agent identity id (hex)", type: "string" },
        wallet: string,
      },
      required: ["wallet"],
      type: "object",
    },
  },
  {
    name: "sion_memory_remember",
    description: "Record a memory atom in a log’s local store: a statement (subject, predicate, " +
      "value) with when it held and, for robots, where (a box in a frame, in millimetres). It " +
      "reaches the ledger’s commitment at the next sion_memory_commit.",
    inputSchema: {
      properties: {
        at: integers("Its place: x, y, z in millimetres"),
        confidence_permille: {
          description: "Confidence in thousandths (default 1000)",
          type: "integer",
        },
        frame: {
          description: "The frame its place is in, for example warehouse-3",
          type: "string",
        },
        from_s: {
          description: "When it began to hold, seconds since the Unix epoch (default now)",
          type: "integer",
        },
        kind: {
          description: "observation (default), coverage, world-state, semantic, episodic, " +
            "procedural, preference, goal, plan, …",
          type: "string",
        },
        log: memoryLog,
        predicate: string,
        seconds: {
          description: "For how long it held (default open-ended)",
          type: "integer",
        },
        size: integers("Half the size of its box: dx, dy, dz in millimetres"),
        subject: string,
        value: {
          description: "true/false, an integer, @name for an entity, or text",
          type: "string",
        },
        wallet: string,
      },
      required: ["log", "predicate", "subject", "value", "wallet"],
      type: "object",
    },
  },
  {
    name: "sion_memory_commit",
    description:
      "Commit a memory log’s local head to the ledger with a proof that it extends the " +
      "committed one. The Pulse it executes in becomes the transaction time of the atoms it adds.",
    inputSchema: {
      properties: {
        log: memoryLog,
        seal: { description: "Close the log for good", type: "boolean" },
        wallet: string,
      },
      required: ["log", "wallet"],
      type: "object",
    },
  },
  {
    name: "sion_memory_recall",
    description:
      "Everything a memory log had recorded in a box of a frame during an interval, as " +
      "of its committed head, with a proof of completeness checked against the index root the " +
      "ledger holds (an empty answer is proved too).",
    inputSchema: {
      properties: {
        frame: string,
        from_s: {
          description: "Interval start, seconds since the Unix epoch",
          type: "integer",
        },
        log: memoryLog,
        max: integers("Upper corner x, y, z in millimetres"),
        min: integers("Lower corner x, y, z in millimetres"),
        until_s: { description: "Interval end (exclusive)", type: "integer" },
      },
      required: ["frame", "from_s", "log", "max", "min", "until_s"],
      type: "object",
    },
  },
];
