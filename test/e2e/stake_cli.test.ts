/** Stake from the command line and by tools, as programs at a devnet with epochs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programCommand } from "../programs.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

let folder = "";
let devnet: Child;
let node = "";
/** One program for what is asked many times, each start of one being half a second. */
let kept: Tools;

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", command(...words, "--node", node));
}

type Fields = Record<string, unknown>;

/** The value that a command prints. */
async function json(...words: string[]): Promise<Fields> {
  const { stdout, stderr } = await sion(...words, "--json");
  if (stdout === "") throw new Error(`${words.join(" ")}: ${stderr}`);
  return JSON.parse(stdout) as Fields;
}

interface Pool {
  readonly operator: string;
  readonly status: string;
  readonly validator: string;
  readonly weight: number;
}

async function poolOf(operator: string): Promise<Pool | undefined> {
  const { pools } = await json("stake", "pools");
  return (pools as Pool[]).find((pool) => pool.operator === operator);
}

async function delegationOf(account: string): Promise<Fields> {
  const { delegations } = await json("stake", "show", account);
  return (delegations as Fields[])[0] ?? {};
}

interface Delegated {
  readonly events: readonly {
    readonly Delegated: { readonly owner: string; readonly delegation: string };
  }[];
  readonly pulse: number;
}

interface Tools extends AsyncDisposable {
  call(name: string, given: object): Promise<unknown>;
}

/** `sion mcp` at the devnet. */
async function connectTools(): Promise<Tools> {
  const [program, ...args] = command("mcp", "--node", node);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: program, args, stderr: "inherit" }));
  return {
    async call(name, given) {
      const { structuredContent, isError } = await client.callTool({
        name,
        arguments: { ...given },
      });
      expect(isError ?? false).toBe(false);
      return structuredContent;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Pays until it is so: payments make Pulses pass. */
async function payUntil(holds: () => Promise<boolean>): Promise<void> {
  const payment = { from: "bob", to: "carol", amount_usd: 0.01 };
  while (!await holds()) await kept.call("sion_pay", payment);
}

async function epoch(): Promise<number> {
  return (await kept.call("sion_status", {}) as { epoch: number }).epoch;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-stake-"));
  devnet = start(command(
    ...["devnet", "--listen", "127.0.0.1:0", "--json", "--insecure-signatures"],
    ...["--epoch-pulses", "12"],
  ));
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node } = JSON.parse(devnet.stdout()) as { node: string });
  kept = await connectTools();
});

afterAll(async () => {
  await kept[Symbol.asyncDispose]();
  signalTo(devnet, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion stake", () => {
  it(
    "delegates, shows, and collects what the fees gave, and unbonds [L-071 L-090 L-467 L-470..L-473 L-476 L-485 L-487 L-489 L-490 L-492..L-500 L-505 L-508 L-510 L-513 L-641 L-659]",
    async () => {
      const listed = await sion("stake", "pools");
      const lines = listed.stdout.trimEnd().split("\n");
      expect(lines[0]).toMatch(/^epoch 0, ending after Pulse 12; stake asset USD \(test stake\)$/);
      expect(lines).toHaveLength(5);
      for (const line of lines.slice(1)) {
        expect(line).toMatch(
          /^validator [0-9a-f]{8} operator operator-[0-3] active own 100,000 delegated 0 \(earning 0\) commission 0% weight 100000$/,
        );
      }
      expect([...lines.slice(1)].sort()).toEqual(lines.slice(1));

      const { validator = "" } = await poolOf("operator-0") ?? {};
      const short = validator.slice(0, 8);
      const done = await sion("stake", "delegate", "alice", short, "5000");
      expect([done.code, done.stdout]).toEqual([
        0,
        expect.stringMatching(
          new RegExp(
            `Done: alice delegated 5,000 USD to validator ${short} as delegation [0-9a-f]{8}, ` +
              "earning from the epoch's end; fee 0\\.0011 USD\\.\\n$",
          ),
        ),
      ]);
      const refuses = async (words: readonly string[], sentence: string): Promise<void> => {
        const { code, stdout, stderr } = await sion("stake", ...words);
        const begins = `error: ${sentence}`;
        const told = [stderr.slice(0, begins.length), stderr.slice(-"; nothing was sent\n".length)];
        expect([code, stdout, ...told]).toEqual([1, "", begins, "; nothing was sent\n"]);
      };
      await refuses(
        ["delegate", "alice", short, "0.5"],
        "a delegation must be at least 1 USD: give more",
      );
      await refuses(
        ["delegate", "alice", short, "195000.1"],
        `validator ${short} can take 195,000 USD more, as nobody may have more than twice an ` +
          "equal share of the bonded stake",
      );
      expect(await delegationOf("alice")).toMatchObject({
        phase: "pending",
        rewards_owed: "0",
        shares: "5000000000",
        stake: "5,000",
        state: "pending: earns from the end of this epoch",
        validator,
        withdrawable_at: null,
      });
      await payUntil(async () => await epoch() >= 2);
      const earning = await delegationOf("alice");
      expect(earning["phase"]).toBe("earning");
      expect(earning["state"]).toMatch(/^earning since Pulse \d+$/);
      expect(Number(earning["rewards_owed"])).toBeGreaterThan(0);
      expect((await poolOf("operator-0"))?.weight).toBe(105_000);

      const delegation = (earning["delegation"] as string).slice(0, 8);
      await refuses(
        ["claim", "bob", delegation],
        `only the owner of delegation ${delegation} may claim its rewards: give the wallet that is`,
      );
      await refuses(
        ["claim", "bob", short],
        `only the operator of validator ${short} may claim its rewards: give the wallet that is`,
      );
      await refuses(
        ["withdraw", "alice", delegation],
        `delegation ${delegation} is not unbonding: \`sion stake undelegate\` starts that`,
      );
      for (const [act, ...more] of [["leave"], ["commission", "5"]] as const) {
        await refuses(
          [act, "bob", short, ...more],
          `only the operator of validator ${short} may ${
            act === "leave" ? "take it out" : "set its commission"
          }`,
        );
      }
      await refuses(["withdraw", "bob", short], `only the operator of validator ${short} may`);
      await refuses(["withdraw", "operator-0", short], `validator ${short} has not left`);
      const claimed = await sion("stake", "claim", "alice", delegation);
      expect(claimed.stdout).toMatch(/Done: 0\.\d+ USD collected as rewards of delegation /);
      const earned = await sion("stake", "claim", "operator-0", short);
      expect(earned.stdout).toMatch(/Done: 0\.\d+ USD collected as rewards of validator /);
      await refuses(
        ["undelegate", "bob", delegation],
        `only the owner of delegation ${delegation} may undelegate it`,
      );
      const { status } = await json("stake", "undelegate", "alice", delegation);
      expect(status).toBe("Success");
      const unbonding = await delegationOf("alice");
      const due = unbonding["withdrawable_at"] as number;
      expect(due).toBeGreaterThanOrEqual(1000);
      expect(unbonding["state"]).toMatch(
        /^unbonding since Pulse \d+: slashable until it is withdrawn/,
      );
      await refuses(
        ["withdraw", "alice", delegation],
        `delegation ${delegation} can be withdrawn at Pulse ${due}, this is Pulse `,
      );
      await refuses(
        ["undelegate", "alice", delegation],
        `delegation ${delegation} is unbonding already: \`sion stake show\` says until when`,
      );
      await refuses(["claim", "alice", delegation], `nothing is owed to delegation ${delegation}`);
    },
    180_000,
  );

  it(
    "is delegated and shown by tools too, as recorded [L-063 L-682..L-685]",
    async () => {
      await using tools = await connectTools();
      const { pools } = await tools.call("sion_stake_pools", {}) as { pools: string[] };
      expect(pools[0]).toMatch(
        /^epoch \d+, ending after Pulse \d+; stake asset USD \(test stake\)$/,
      );
      expect(pools).toHaveLength(5);
      const { validator = "" } = await poolOf("operator-1") ?? {};
      const short = validator.slice(0, 8);
      const given = { wallet: "dana", validator: short };
      // A delegation is pending until its epoch ends: the whole of one is ahead.
      const before = await epoch();
      await payUntil(async () => await epoch() > before);
      const done = await tools.call("sion_stake_delegate", { ...given, amount: 5000 }) as Delegated;
      const { owner, delegation } = done.events[0]?.Delegated ?? { owner: "", delegation: "" };
      expect(done).toEqual({
        events: [
          {
            Delegated: {
              amount: 5_000_000_000,
              delegation,
              owner,
              shares: 5_000_000_000,
              validator,
            },
          },
        ],
        pulse: expect.any(Number) as number,
        receipt: `Done: dana delegated 5,000 USD to validator ${short} as delegation ` +
          `${delegation.slice(0, 8)}, earning from the epoch's end; fee 0.0011 USD.`,
        status: "Success",
      });
      expect(await tools.call("sion_stake_delegate", { ...given, amount: 0.5 })).toEqual({
        events: [],
        pulse: expect.any(Number) as number,
        receipt: "Failed (invalid transaction: a delegation must be at least 1); nothing " +
          "happened except the fee of 0.0011 USD.",
        status: { Failed: "invalid transaction: a delegation must be at least 1" },
      });
      expect(await tools.call("sion_stake_show", { account: "dana" })).toEqual({
        account: owner,
        delegations: [{
          delegation,
          phase: "pending",
          rewards_owed: "0",
          shares: "5000000000",
          since: done.pulse,
          stake: "5,000",
          state: "pending: earns from the end of this epoch",
          validator,
          withdrawable_at: null,
        }],
        epoch: before + 1,
      });
    },
    60_000,
  );

  it(
    "registers a validator that joins while the chain runs, and takes it out again [L-475 L-515]",
    async () => {
      const key = join(folder, "v4");
      expect((await runWith("", command("genesis", "key", key))).code).toBe(0);
      const little = ["stake", "register", "alice", "999.9", "--key", join(key, "key.json")];
      expect((await sion(...little)).stderr).toBe(
        "error: a validator's own stake must be at least 1,000 USD: give more; nothing was sent\n",
      );
      await json("faucet", "savings", "2000");
      const registered = await sion(
        ...["stake", "register", "savings", "1000", "--key", join(key, "key.json")],
        ...["--commission", "2.5"],
      );
      expect([registered.code, registered.stdout]).toEqual([
        0,
        expect.stringMatching(/registered with 1,000 USD of own stake, joining at the epoch's end/),
      ]);
      // The epoch may have ended by now.
      expect((await poolOf("savings"))?.status).toMatch(/^(joining|active)$/);
      await payUntil(async () => (await poolOf("savings"))?.status === "active");
      expect(await poolOf("savings")).toMatchObject({ commission: "2.5%", weight: 1000 });
      const { validator = "" } = await poolOf("savings") ?? {};
      const lines = (await sion("stake", "pools")).stdout;
      expect(lines).toContain(
        `validator ${validator.slice(0, 8)} operator savings active own 1,000 delegated 0 ` +
          "(earning 0) commission 2.5% weight 1000\n",
      );
      const left = await sion("stake", "leave", "savings", validator.slice(0, 8));
      expect(left.stdout).toMatch(/leaves, its own stake can be withdrawn from Pulse \d+ on/);
      await payUntil(async () => (await poolOf("savings"))?.weight === 0);
      expect((await poolOf("savings"))?.status).toBe("left");
      expect((await json("status"))["active_validators"]).toBe(4);
    },
    180_000,
  );

  it("has nobody slashed where nobody cheated", async () => {
    const { code, stdout, stderr } = await sion("stake", "report", "alice");
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringMatching(/^nothing to report: /)]);
  });
});
