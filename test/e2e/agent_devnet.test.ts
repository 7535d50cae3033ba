/** An agent on a real devnet: its payments, and what becomes of one whose process is killed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { continueSession, openAgentMachine, runAgent } from "#internal/agent/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { Client, CreatedAgent } from "#internal/client/mod.ts";
import { silentLogger } from "#internal/core/mod.ts";
import type { Devnet } from "#internal/node/mod.ts";
import { startDevnet } from "#internal/node/mod.ts";
import { hearing } from "../agent/_machine.ts";
import { runtimeCommand, runWith } from "./_child.ts";

const USD = 1_000_000n;

let folder = "";
let devnet: Devnet;
let client: Client;
let agent: CreatedAgent;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-agent-devnet-"));
  devnet = await startDevnet({
    dir: join(folder, "devnet"),
    port: 0,
    insecureSignatures: true,
    logger: silentLogger,
  });
  client = openClient({ env: { HOME: folder }, home: folder, node: devnet.url });
  agent = await client.createAgent({
    principal: "alice",
    wallet: "coder",
    budget: 10n * USD,
    payees: ["bob", "carol"],
  });
});

afterAll(async () => {
  client[Symbol.dispose]();
  await devnet[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function bobHas(): Promise<string> {
  const { balances } = await client.balance("bob");
  return balances.find(({ asset }) => asset === "USD")?.amount ?? "0";
}

function machineHere() {
  return openAgentMachine({ env: { HOME: folder }, home: folder, node: devnet.url, cwd: folder });
}

describe("an agent on a devnet", () => {
  test("writes a file, pays, and is refused by the ledger what its charter forbids [A-001 A-013 A-027 A-565]", async () => {
    // Apart from the home, as it must be.
    const work = mkdtempSync(join(tmpdir(), "sion-agent-work-"));
    const pay = (to: string, amount: string) => ({
      tool: "ledger_pay",
      input: { amount, purpose: "invoice 7", to },
    });
    const turns = [
      { calls: [{ tool: "write_file", input: { path: "note.txt", content: "Paying bob.\n" } }] },
      { calls: [pay("bob", "1.5")] },
      { calls: [pay("mallory", "1")] },
      { say: "Bob is paid; mallory is refused by the ledger." },
    ];
    writeFileSync(join(folder, "story.json"), JSON.stringify(turns));
    using machine = machineHere();
    const heard = hearing();
    const end = await runAgent(machine, {
      wallet: "coder",
      agent: agent.agent,
      task: "Pay bob.",
      models: ["script:story.json"],
      workspace: work,
      autonomy: "L6",
      who: "cli:test",
    }, heard.listener);
    rmSync(work, { recursive: true });
    expect(heard.lines).toEqual([
      `session ${end.session} for agent ${agent.agent.slice(0, 8)}`,
      ' → write_file {"content":"Paying bob.\\n","path":"note.txt"}',
      " ← wrote 12 bytes to note.txt",
      ' → ledger_pay {"amount":"1.5","purpose":"invoice 7","to":"bob"}',
      expect.stringMatching(
        /^ ← Pulse \d+: Done: agent paid 1\.5 USD to bob \(receipt claim [0-9a-f]{8}\); fee 0\.0012 USD\. Transaction [0-9a-f]{64}\.$/,
      ),
      ' → ledger_pay {"amount":"1","purpose":"invoice 7","to":"mallory"}',
      expect.stringMatching(
        /^ ✗ Pulse \d+: Failed \(charter caveat violated: payee not allowed\); nothing happened except the fee of 0\.0011 USD\. Transaction [0-9a-f]{64}\.$/,
      ),
      "agent: Bob is paid; mallory is refused by the ledger.",
      `session ${end.session}: done`,
    ]);
    expect(await bobHas()).toBe("10001.5");
  });

  test.each([
    ["after call-started", "1"],
    ["after call-noted", "2"],
    ["before call-ended", "3"],
    ["after call-ended", "4"],
  ])(
    "killed %s: continue pays once and shows the receipt [A-066 A-067 A-068 A-635]",
    async (moment, paid) => {
      mkdirSync(folder, { recursive: true });
      const call = {
        tool: "ledger_pay",
        input: { amount: "1", purpose: `invoice ${paid}`, to: "bob" },
      };
      writeFileSync(
        join(folder, "pay.json"),
        JSON.stringify([{ calls: [call] }, { say: "Paid bob." }]),
      );
      const before = Number(await bobHas());
      const killed = await runWith(
        "",
        runtimeCommand("_agent_devnet_child.ts", folder, devnet.url, agent.agent, moment),
      );
      expect(killed).toMatchObject({ signal: "SIGKILL", stderr: "" });
      using machine = machineHere();
      const [kept] = machine.sessions.list();
      const heard = hearing();
      const options = { session: kept?.session ?? "", who: "cli:test" };
      const end = await continueSession(machine, options, heard.listener);
      expect(end).toMatchObject({ how: "done", said: "Paid bob." });
      expect(Number(await bobHas())).toBe(before + 1);
      const results = heard.lines.filter((line) => line.startsWith(" ← Pulse "));
      expect(results).toHaveLength(moment === "after call-ended" ? 0 : 1);
      expect(heard.lines.at(-1)).toBe(`session ${end.session}: done`);
    },
  );
});
