/** Everything that the ledger does, at once and in no order, on a devnet that a client verifies. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromHex, toHex } from "#internal/core/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { Receipt } from "#internal/ledger/mod.ts";
import { blockId, createLedger } from "#internal/ledger/mod.ts";
import { validatorId } from "#internal/proofs/mod.ts";
import { sleep, systemRandom } from "#internal/runtime/mod.ts";
import { txKinds } from "../../internal/ledger/tx/mod.ts";
import { charter, narrow, register, revoke, revokeCharter } from "../ledger/_agents.ts";
import { block } from "../ledger/_staking.ts";
import { FILE } from "../ledger/_storage.ts";
import { accountOf, payMemo, payTo, usd } from "../ledger/_world.ts";
import { agentLife, PRINCIPAL, ROBOT } from "../sim/agent_life.ts";
import { claimLife } from "../sim/claim_life.ts";
import { keyOf, operatorOf } from "../sim/keys.ts";
import type { Send, Steps } from "../sim/life.ts";
import { agentLogLife, MEMORY_WALLETS, ownLogLife } from "../sim/memory_life.ts";
import { Random } from "../sim/random.ts";
import { SPAWN_WALLETS, spawnLife } from "../sim/spawn_life.ts";
import { STAKE_WALLETS, stakeLife } from "../sim/stake_life.ts";
import { TASK_WALLETS, taskLife } from "../sim/task_life.ts";
import type { TestDevnet } from "./devnet_fixture.ts";
import { pinnedClient, startTestDevnet, temporaryFolder } from "./devnet_fixture.ts";
import { LivesOnDevnet } from "./_lives_on_devnet.ts";

const SEED = 20_26;
/** Wallets with money from the start. */
const RICH = ["alice", "bob", "carol", "dana"];
/** Wallets of this test's own. */
const [STEWARD, PORTER, PAYER] = ["steward", "porter", "many-payments"];
/** Those that the client signs for. */
const [JOINER, DEPOSITOR, WARDEN] = ["joiner", "depositor", "warden"];
/** Wallets of lives, which begin with nothing. */
const POOR = [
  ...[PRINCIPAL, ROBOT, STEWARD, PORTER, PAYER],
  ...[...MEMORY_WALLETS, ...SPAWN_WALLETS, ...STAKE_WALLETS, ...TASK_WALLETS],
];
const OWN_FUNDS = usd(10_000);
/** Pulses of a round of the deal: so many that its provider proves in it however slow the machine is. */
const ROUND_LENGTH = 40;

let folder: ReturnType<typeof temporaryFolder>;
let devnet: TestDevnet;
let client: Client;

beforeAll(async () => {
  folder = temporaryFolder();
  devnet = await startTestDevnet(folder.path, { shape: { epochPulses: 8 } });
  client = pinnedClient(devnet.calls, devnet.chain, join(folder.path, "home"));
});
afterAll(async () => {
  client[Symbol.dispose]();
  await devnet[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** An agent and a charter that come to their end. */
function* endingLife(send: Send): Steps {
  const agent = yield send(STEWARD, [register(PORTER)]);
  const given = yield send(STEWARD, [charter(agent, { maxPayment: usd(5) })]);
  yield send(STEWARD, [narrow(given, { maxPayment: usd(2) })]);
  yield send(STEWARD, [revokeCharter(given)]);
  yield send(STEWARD, [revoke(agent)]);
}

/** A validator that registers, changes its key, is shown to have signed two blocks, and leaves. */
async function validatorStory(): Promise<void> {
  const backend = await loadDualBackend("insecure");
  const wallet = JOINER;
  const [seed, another] = [systemRandom(32), systemRandom(32)];
  const keys = await backend.keysFromSeed(seed);
  const validator = validatorId(keys.publicKey);
  const outcomes = [await client.stake.register({ wallet, seed, stake: usd(5000) })];
  outcomes.push(await client.rotateKey({ wallet, validator, seed: another }));
  const signed = async (mark: number) => {
    const { header } = block({ mark });
    const digest = blockId({ ...header, chain: fromHex(devnet.chain) });
    return { header, signature: await backend.sign(keys, digest, systemRandom) };
  };
  const offence = { kind: "blocks", body: { first: await signed(0), second: await signed(1) } };
  const body = { key: keys.publicKey, offence };
  outcomes.push(...await client.transact({ wallet, actions: [{ kind: "evidence", body }] }));
  outcomes.push(await client.stake.leave({ wallet, validator }));
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "Success"));
}

/** A deal that a provider takes, proves and closes unattended. */
async function storageStory(): Promise<void> {
  const path = join(folder.path, "archive.bin");
  writeFileSync(path, FILE);
  const { made: [deal = ""] } = await client.storage.post({
    wallet: DEPOSITOR,
    path,
    price: usd(0.25),
    rounds: 2,
    roundLength: ROUND_LENGTH,
    local: true,
  });
  const gone = new AbortController();
  const provider = client.storage.provide({
    wallet: WARDEN,
    terms: {
      maxFileBytes: 1 << 20,
      maxTotalBytes: 1 << 20,
      minPrice: 0n,
      maxCollateral: usd(100),
      local: [folder.path],
    },
    signal: gone.signal,
  });
  await expect.poll(async () => (await client.storage.deal(deal)).state, { timeout: 90_000 })
    .toMatchObject({ phase: "closed" });
  gone.abort();
  await provider;
}

/** The simulator's lives and one more, begun one after the other in an order of the seed's; at least until the rest is over. */
async function leadLives(random: Random, isOver: () => boolean): Promise<LivesOnDevnet> {
  const ledger = createLedger();
  const backend = await loadDualBackend("insecure");
  const keys = await Promise.all(
    devnet.folder.validators.map(async ({ key }) =>
      (await backend.keysFromSeed(key.seed)).publicKey
    ),
  );
  const lives = new LivesOnDevnet({
    calls: devnet.calls,
    chain: devnet.chain,
    ledger,
    backend,
    instead: keys.flatMap((key, at) => [
      [toHex(keyOf(at)), toHex(key)] as const,
      [validatorId(keyOf(at)), validatorId(key)] as const,
    ]),
  });
  await lives.add([...RICH, ...POOR, operatorOf(0), operatorOf(1)]);
  const steps: readonly (readonly [string, (send: Send) => Steps])[] = [
    ["agent", agentLife],
    ["ending", endingLife],
    ["claims", (send) => claimLife(send, random.chance(0.5))],
    ["spawn", spawnLife],
    ["stake", stakeLife],
    ["tasks", (send) => taskLife(send, random.chance(0.5))],
    ["own log", ownLogLife],
    ["agent's log", agentLogLife],
  ];
  const waiting = random.shuffled(steps);
  while (waiting.length > 0 || lives.unfinished.length > 0 || !isOver()) {
    if (random.chance(0.5)) {
      const [next] = waiting.splice(0, 1);
      if (next !== undefined) lives.begin(...next);
    }
    const amount = BigInt(random.int(1, 1_000_000));
    const payee = accountOf(random.pick(RICH));
    lives.send(PAYER, [
      random.chance(0.5) ? payTo([payee, amount]) : payMemo(payee, amount, payee),
    ]);
    await lives.goOn();
    await sleep(20);
  }
  return lives;
}

/** Verifies Pulse after Pulse as `sion verify` does, until there are none left; how many there were. */
async function verifyAll(isOver: () => boolean): Promise<{ pulses: number; faults: string[] }> {
  const faults: string[] = [];
  let pulse = 1;
  for (;;) {
    const { certified_pulse: last, pulse: newest } = await client.status();
    for (; pulse <= last; pulse++) {
      const { verified, report } = await client.verifyPulse({ pulse });
      if (!verified) faults.push(...report.map((line) => `Pulse ${pulse}: ${line}`));
    }
    if (isOver() && last === newest) return { pulses: last, faults };
    await sleep(20);
  }
}

/** The kinds of receipts, each once, in order. */
function kindsOf(receipts: readonly Receipt[]): string[] {
  return [...new Set(receipts.map(({ kind }) => kind))].toSorted();
}

describe("a devnet on which everything happens", () => {
  test(
    "a devnet under a random mix of all kinds verifies every Pulse [L-245 L-246 L-247 L-248 L-249 L-250 L-251 L-252 L-276]",
    async () => {
      // All of it before the rest: operators, who have a part in the lives, sign for the faucet.
      const poor = [...POOR, JOINER, DEPOSITOR, WARDEN];
      await Promise.all(poor.map((name) => client.faucet(name, OWN_FUNDS)));
      let isOver = false;
      const verified = verifyAll(() => isOver);
      let isTold = false;
      const stories = Promise.all([validatorStory(), storageStory()]).finally(() => isTold = true);
      const lives = await leadLives(new Random(SEED, "mixed kinds"), () => isTold);
      await stories;
      isOver = true;
      const { pulses, faults } = await verified;
      expect(faults).toEqual([]);
      expect(pulses).toBeGreaterThan(16);
      await lives.goOn();
      expect(lives.broken).toEqual([]);
      const kinds = txKinds.map(({ name }) => name).toSorted();
      expect(kindsOf(lives.receipts)).toEqual(kinds);
      // Stake can be withdrawn a thousand Pulses after it was delegated.
      expect(kindsOf(lives.receipts.filter(({ outcome }) => outcome.kind === "success")))
        .toEqual(kinds.filter((kind) => kind !== "stake_withdraw"));
    },
    240_000,
  );
});
