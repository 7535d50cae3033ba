/** The demo's middle: an agent with a budget, which the ledger holds to its charter. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, expect, fact, microUsd, show, type Step, tell } from "./_demo_stage.ts";

const NOTE = "Invoice 7: 1.5 USD for bob.\n";

/** What the scripted model says and does; it stands for a model that was talked into a bad payment. */
const SCRIPT = [
  {
    say: "I note the invoice, then pay it.",
    calls: [{ tool: "write_file", input: { path: "invoice.txt", content: NOTE } }],
  },
  { calls: [{ tool: "ledger_pay", input: { to: "bob", amount: "1.5", purpose: "invoice 7" } }] },
  { calls: [{ tool: "ledger_pay", input: { to: "mallory", amount: "1", purpose: "a tip" } }] },
  { say: "I paid bob 1.5 USD for invoice 7. The ledger refused to let me pay mallory." },
];

const REFUSAL = "charter caveat violated: payee not allowed";

/** An agent of alice's with 20 USD for bob and carol, and one run of it. */
export const agentSteps: readonly Step[] = [
  {
    title: "Alice gives an agent 20 USD that only bob and carol can be paid from",
    async run(stage) {
      await show(stage, ["wallet", "new", "scout"]);
      const args = ["agent", "create", "alice", "scout", "--name", "scout", "--budget", "20"];
      args.push("--payee", "bob", "--payee", "carol", "--max-payment", "5");
      const made = await ask(stage, ...args) as Readonly<Record<string, string>>;
      tell(`$ sion ${args.join(" ")} --json`);
      for (const name of ["agent", "charter", "allotment"]) {
        const id = made[name] ?? "";
        expect(/^[0-9a-f]{64}$/.test(id), `sion agent create gave no ${name}`);
        stage.facts.set(name, id);
        tell(`${name.padEnd(10)}${id}`);
      }
    },
  },
  {
    title: "The agent runs at the highest autonomy: its charter is the limit, nobody is asked",
    async run(stage) {
      const script = join(stage.folder, "model.json");
      const workspace = join(stage.folder, "workspace");
      writeFileSync(script, JSON.stringify(SCRIPT));
      mkdirSync(workspace);
      const before = await microUsd(stage, "bob");
      const ran = await show(stage, [
        "agent",
        "run",
        "scout",
        fact(stage, "agent"),
        "--task",
        "Pay invoice 7.",
        "--model",
        `script:${script}`,
        "--workspace",
        workspace,
        "--autonomy",
        "L6",
      ]);
      expect(ran.stdout.includes(REFUSAL), `the run does not say: ${REFUSAL}`);
      expect(/session [0-9a-f]{16}: done/.test(ran.stdout), "the session is not done");
      const note = readFileSync(join(workspace, "invoice.txt"), "utf8");
      expect(note === NOTE, "the agent's file is not as it wrote it");
      const paid = await microUsd(stage, "bob") - before;
      expect(paid === 1_500_000n, `bob gained ${paid} micro-units, not 1.5 USD`);
    },
  },
  {
    title: "What the ledger holds: bob was paid, mallory got nothing",
    async run(stage) {
      await show(stage, ["balance", "bob"]);
      await show(stage, ["balance", "mallory"]);
      const tip = await microUsd(stage, "mallory");
      expect(tip === 0n, `mallory holds ${tip} micro-units`);
    },
  },
];
