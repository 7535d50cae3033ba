/**
 * Four validators and a follower as `sion node` runs them, each a process on a machine of its own,
 * under payments, while one is killed, one is stopped and one is cut off. Nothing is lost or paid
 * twice, and at the end all of them, and who verifies them, agree.
 */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { temporaryFolder, testClient } from "../node/devnet_fixture.ts";
import { needs } from "../parts.ts";
import { programCommand } from "../programs.ts";
import { callsAt } from "./_calls.ts";
import type { Child } from "./_child.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Lab } from "./_networks.ts";
import { createLab } from "./_networks.ts";

const VALIDATORS = [0, 1, 2, 3] as const;
const FOLLOWER = 4;
const START = 10_000_000_000n;
const FEE = 1100n;
/** A node that is stopped or cut off is given up after this time, ms. */
const CALL_MS = 3_000;
const POLL_MS = 100;
const TEST_MS = 300_000;
const ledger = createLedger();

let folder: ReturnType<typeof temporaryFolder>;
let lab: Lab;
let nodes: Map<number, Child>;

const hasNamespaces = needs("iproute", "nodes as processes in networks of their own");

describe.skipIf(!hasNamespaces)("a network of sion nodes", () => {
  beforeEach(() => {
    folder = temporaryFolder();
    nodes = new Map();
    lab = createLab(5);
  });
  afterEach(async () => {
    for (const child of nodes.values()) {
      if (child.process.exitCode === null) signalTo(child, "SIGKILL");
      await child.ended;
    }
    lab[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  test(
    "a network of sion nodes pays on while validators are killed, stopped and cut off [L-593 L-595 L-596 L-612]",
    async () => {
      const backend = await loadDualBackend("insecure");
      const chain = await startNetwork(["--insecure-signatures"]);
      const payers = startPaying(chain, backend);

      await kill(1);
      await payers.progress(6);
      await startNode(1);
      await caughtUp(1);

      signalTo(nodeOf(2), "SIGSTOP");
      await payers.progress(6);
      signalTo(nodeOf(2), "SIGCONT");
      await caughtUp(2);

      lab.cut(3);
      await payers.progress(6);
      // Long enough that what was under way to it waits to be sent again.
      await goesOn(4);
      lab.join(3);
      await caughtUp(3);

      await expectAgreement(chain, backend, await payers.stop());
      await expectProofs(chain, [...VALIDATORS, FOLLOWER]);
      await Promise.all([...nodes.values()].map(expectCleanStop));
    },
    TEST_MS,
  );

  test(
    "a network of sion nodes with real signatures pays on while a validator is killed [L-593 L-603]",
    async () => {
      const backend = await loadDualBackend();
      const chain = await startNetwork([]);
      const payers = startPaying(chain, backend);
      await kill(0);
      await payers.progress(3);
      await startNode(0);
      await caughtUp(0);
      await expectAgreement(chain, backend, await payers.stop());
      await expectProofs(chain, [0, FOLLOWER]);
    },
    TEST_MS,
  );
});

function nodeOf(machine: number): Child {
  const child = nodes.get(machine);
  if (child === undefined) throw new RangeError(`There is no node ${machine}`);
  return child;
}

function urlOf(machine: number): string {
  return `http://${lab.hostOf(machine)}:8400`;
}

function calls(machine: number, timeoutMs = CALL_MS): RpcCalls {
  return callsAt(urlOf(machine), timeoutMs);
}

async function sion(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runWith("", [...programCommand("sion"), ...args]);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** Makes the chain and starts all nodes. @returns its identity. */
async function startNetwork(options: readonly string[]): Promise<string> {
  const made = await sion(
    ...["genesis", "new", join(folder.path, "net"), "--validators", "4", "--json"],
    ...options,
  );
  await Promise.all([...VALIDATORS, FOLLOWER].map(startNode));
  return (parseJson(made) as { chain: string }).chain;
}

/** Starts a node on its machine and waits until it is ready. */
async function startNode(machine: number): Promise<void> {
  const net = join(folder.path, "net");
  // In another order at each node, its own address among them.
  const peers = VALIDATORS.map((i) => `${lab.hostOf((i + machine) % 4)}:8500`).join(",");
  const role = machine === FOLLOWER
    ? ["--dir", join(folder.path, "follower")]
    : ["--key", join(net, `validator-${machine}`, "key.json"), "--peer-listen", "0.0.0.0:8500"];
  const child = start(lab.inside(machine, [
    ...programCommand("sion"),
    ...["node", "--genesis", join(net, "genesis.json"), "--json"],
    ...["--listen", `${lab.hostOf(machine)}:8400`, "--peers", peers],
    ...role,
  ]));
  nodes.set(machine, child);
  await child.until(() => child.stdout().endsWith("\n"));
  expect(parseJson(child.stdout())).toMatchObject({
    node: urlOf(machine),
    validator: machine === FOLLOWER ? null : machine,
  });
}

async function kill(machine: number): Promise<void> {
  const child = nodeOf(machine);
  signalTo(child, "SIGKILL");
  await child.ended;
}

/** Waits until a node has executed what the furthest has now. */
async function caughtUp(machine: number): Promise<void> {
  const pulseOf = (at: number): Promise<number> =>
    calls(at).status({}).then(({ pulse }) => pulse, () => 0);
  const head = Math.max(...await Promise.all([...VALIDATORS, FOLLOWER].map(pulseOf)));
  await expect.poll(() => pulseOf(machine), { interval: POLL_MS, timeout: TEST_MS })
    .toBeGreaterThanOrEqual(head);
}

/** Waits until the first validator has executed so many more Pulses. */
async function goesOn(pulses: number): Promise<void> {
  const pulse = (): Promise<number> => calls(0, 60_000).status({}).then((status) => status.pulse);
  const due = await pulse() + pulses;
  await expect.poll(pulse, { interval: POLL_MS, timeout: TEST_MS }).toBeGreaterThanOrEqual(due);
}

interface Payment {
  readonly payer: string;
  readonly digest: string;
  readonly amount: bigint;
}

interface Payers {
  /** Resolves when so many more payments are final. */
  progress(count: number): Promise<void>;
  /** All payments, once those under way are final. */
  stop(): Promise<readonly Payment[]>;
}

/** Three wallets that pay bob one payment after the other, by whichever node answers. */
function startPaying(chain: string, backend: DualBackend): Payers {
  const payments: Payment[] = [];
  const waiting = new Set<() => void>();
  let going = true;
  const pay = async (payer: string, first: number): Promise<void> => {
    let machine = first;
    for (let sequence = 0n; going; sequence++) {
      payments.push(
        await payFinally(chain, backend, {
          payer,
          sequence,
          nextMachine: () => machine = (machine + 1) % 5,
        }),
      );
      for (const look of waiting) look();
    }
  };
  const all = Promise.all(["alice", "carol", "dana"].map(pay));
  // A fault of a payer ends the wait for progress, too.
  all.catch(() => {});
  return {
    async progress(count) {
      const due = payments.length + count;
      const enough = new Promise<void>((resolve) => {
        const look = (): void => {
          if (payments.length < due) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      });
      await Promise.race([enough, all.then(() => {})]);
    },
    async stop() {
      going = false;
      await all;
      return payments;
    },
  };
}

/** Hands one payment in, at node after node, until one says that it is final. */
async function payFinally(
  chain: string,
  backend: DualBackend,
  { payer, sequence, nextMachine }: {
    readonly payer: string;
    readonly sequence: bigint;
    readonly nextMachine: () => number;
  },
): Promise<Payment> {
  const amount = BigInt(randomInt(1, 1000));
  let unit;
  for (;;) {
    const at = calls(nextMachine());
    const client = testClient(at, chain, backend);
    try {
      unit ??= await client.signed(payer, sequence, [await client.payAction("bob", amount)], {
        validUntil: 2_000n,
      });
      const { digests: [digest = ""] } = await at.submit({ tx: ledger.encodeSigned(unit) });
      const told = await at.receipt({ digest, until: "final", wait_ms: CALL_MS - 1_000 });
      if (told.state === "final" || told.state === "executed") return { payer, digest, amount };
      expect(["unknown", "pending"]).toContain(told.state);
    } catch (error) {
      // A node that is gone, stopped, cut off, or follows and finds no validator.
      if ((error as { code?: string }).code === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** All nodes have executed each payment once, and have the same certified headers. */
async function expectAgreement(
  chain: string,
  backend: DualBackend,
  payments: readonly Payment[],
): Promise<void> {
  const total = payments.reduce((sum, { amount }) => sum + amount, 0n);
  const certified: number[] = [];
  for (const machine of [...VALIDATORS, FOLLOWER]) {
    const at = calls(machine, 60_000);
    for (const { digest } of payments) {
      const told = await at.receipt({ digest, wait_ms: 30_000 });
      expect(told).toMatchObject({ state: "executed", receipt: { outcome: { kind: "success" } } });
    }
    const client = testClient(at, chain, backend);
    expect(await client.balance("bob")).toBe(START + total);
    for (const payer of ["alice", "carol", "dana"]) {
      const own = payments.filter((payment) => payment.payer === payer);
      const paid = own.reduce((sum, { amount }) => sum + amount + FEE, 0n);
      expect(await client.balance(payer)).toBe(START - paid);
    }
    const status = await at.status({});
    expect(status).toMatchObject({ chain, executed: [payments.length, 0, 0] });
    certified.push(status.certified_pulse);
  }
  const newest = Math.min(...certified);
  expect(newest).toBeGreaterThan(0);
  for (let number = 1; number <= newest; number++) {
    const headers = new Set<string>();
    for (const machine of [...VALIDATORS, FOLLOWER]) {
      headers.add((await calls(machine, 60_000).header({ number })).bytes);
    }
    expect([number, headers.size]).toEqual([number, 1]);
  }
}

/** A node ends in order when asked to, and all that it logged is one JSON object a line. */
async function expectCleanStop(child: Child): Promise<void> {
  signalTo(child, "SIGTERM");
  const { code, signal, stderr } = await child.ended;
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  for (const line of stderr.trimEnd().split("\n")) {
    const { level, message, time } = parseJson(line) as Record<string, string>;
    expect(["info", "warn", "error"]).toContain(level);
    expect(message).not.toBe("");
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  }
}

/** Who verifies a node without believing it is satisfied with each. */
async function expectProofs(chain: string, machines: readonly number[]): Promise<void> {
  await Promise.all(machines.map(async (machine) => {
    const home = join(folder.path, `home-${machine}`);
    const where = ["--node", urlOf(machine), "--chain", chain, "--home", home];
    await sion("verify", ...where);
    await sion("light", "--once", ...where);
  }));
}
