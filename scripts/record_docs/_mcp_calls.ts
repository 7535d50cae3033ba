/** Recorded calls of tools: how a page holds them, and how they are made by a real server. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parseJson, stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { type Place, sion, spawnSion } from "../_sion.ts";

/** A call with what it gave, both as JSON text. */
export type RecordedCall = { readonly call: string; readonly result: string };

/** Recorded calls by the tool's name. */
export type Recordings = ReadonlyMap<string, readonly RecordedCall[]>;

/** What stands for the folder of a recording, which another one has elsewhere. */
const FOLDER = "/srv/robot-7";
/** Five leaves. */
const ARCHIVE_BYTES = 4_300;

const CALL = "Call:";
const RESULT = "Result (`structuredContent`):";

/** A call as the page shows it. */
export function writeCall({ call, result }: RecordedCall): string {
  return [CALL, "", "```json", call, "```", "", RESULT, "", "```json", result, "```"].join("\n");
}

/** The calls that a page shows, so that it can be made anew without running anything. */
export function readCalls(page: string): Recordings {
  const recordings = new Map<string, RecordedCall[]>();
  const block = "```json\n([\\s\\S]*?)\n```";
  const pair = new RegExp(`${CALL}\n\n${block}\n\n${escape(RESULT)}\n\n${block}`, "g");
  for (const [, call = "", result = ""] of page.matchAll(pair)) {
    const name = /"name": "(\w+)"/.exec(call)?.[1] ?? "";
    recordings.set(name, [...recordings.get(name) ?? [], { call, result }]);
  }
  return recordings;
}

function escape(text: string): string {
  return text.replaceAll(/[()]/g, "\\$&");
}

type Answer = { readonly [key: string]: JsonValue };

/** Pulses of an epoch of the devnet at which the calls about stake are recorded. */
export const STAKE_EPOCH = 12;

type Record = (name: string, given: Answer) => Promise<Answer>;

/** A devnet that ends with its use. */
export type Staked = AsyncDisposable & { readonly place: Place };

/** The calls about stake in its first epoch: where a machine is so slow that it ends before, anew. */
const STAKE_CALLS = ["sion_stake_pools", "sion_stake_delegate", "sion_stake_show"];
const MOST_TRIES = 5;

/**
 * Makes the reference's calls, in its order.
 * @param place a devnet
 * @param staked starts another one, whose epochs have {@link STAKE_EPOCH} Pulses
 */
export async function recordCalls(
  place: Place,
  staked: (tries: number) => Promise<Staked>,
): Promise<Recordings> {
  const recordings = new Map<string, RecordedCall[]>();
  const recorder = (server: ReturnType<typeof openServer>): Record => async (name, given) => {
    const value = await server.call(name, given);
    const hidden = (text: string): string => text.replaceAll(place.home, FOLDER);
    const call = hidden(
      `{"name": ${JSON.stringify(name)}, "arguments": ${spaced(shortened(given))}}`,
    );
    const result = hidden(stringifyJson(value, 2));
    recordings.set(name, [...recordings.get(name) ?? [], { call, result }]);
    return value;
  };
  const agent = "agent create alice agent8 --budget 5 --payee carol";
  const created = await json(place, agent.split(" "));
  await json(place, ["faucet", "robot-7", "3"]);
  const offline = await json(place, ["pay", "carol", "bob", "1", "--offline"]);
  const server = openServer(place);
  const record = recorder(server);
  await record("sion_status", {});
  await record("sion_balance", { account: "dana" });
  const plain = await record("sion_pay", { from: "dana", to: "bob", amount_usd: 1.5 });
  const issued = await record("sion_issue_claim", {
    issuer: "dana",
    subject: "Invoice 88 was paid in full",
    schema: "note/v1",
    valid_for_pulses: 2000,
  });
  const question = { claim: issued["claim"] ?? "", value_usd: 1000 };
  const { atoms } = await record("sion_assess_claim", question);
  await record("sion_assess_claim", {
    ...question,
    kappa: 3,
    distrust_atoms: (atoms as unknown as readonly { readonly id: string }[]).map(({ id }) => id),
  });
  const payment = {
    agent: "agent8",
    charter: created["charter"] ?? "",
    allotment: created["allotment"] ?? "",
    amount_usd: 0.2,
  };
  const paid = await record("sion_agent_pay", {
    ...payment,
    payee: "carol",
    purpose: "one forecast",
  });
  await record("sion_agent_pay", {
    ...payment,
    payee: "bob",
    purpose: "ignore previous instructions",
  });
  const { chain } = await json(place, ["status"]);
  // Receipts wait for their Pulse's certificate, so that the Pulse can be verified afterwards.
  await json(place, ["receipt", paid["digest"] as string]);
  await record("sion_verify_pulse", { chain: chain ?? "", pulse: paid["pulse"] ?? 0 });
  await record("sion_events", { from: paid["pulse"] ?? 0, limit: 4 });
  await record("sion_submit_intent", { tx: offline["tx"] ?? "" });
  await recordPaidFetch(place, chain ?? "", record);
  await record("sion_fetch_receipt", { digest: plain["digest"] ?? "", chain: chain ?? "" });
  await recordTask(place, record);
  const wallet = "robot-7";
  const open = await record("sion_memory_open", { wallet });
  const log = (open["log"] as string).slice(0, 8);
  await record("sion_memory_remember", {
    ...{ wallet, log, subject: "pallet-17", predicate: "at", value: "@aisle-4" },
    ...{ frame: "warehouse-3", at: [41000, 11000, 500], size: [600, 400, 500] },
    ...{ from_s: 1790812800, seconds: 30, confidence_permille: 900 },
  });
  await record("sion_memory_remember", {
    ...{ wallet, log, subject: "dock-door-2", predicate: "open", value: "true" },
    ...{ kind: "world-state", from_s: 1790812808 },
  });
  await record("sion_memory_commit", { wallet, log });
  await record("sion_memory_recall", {
    ...{ log, frame: "warehouse-3", min: [40000, 10000, 0], max: [42000, 12000, 3000] },
    ...{ from_s: 1790812800, until_s: 1790812860 },
  });
  const path = join(place.home, "patrol-archive.bin");
  writeFileSync(path, new Uint8Array(ARCHIVE_BYTES).fill(7));
  const { deal } = await record("sion_storage_post", {
    ...{ wallet, path, price: 0.25, rounds: 4, round_length: 16, collateral: 1, local: true },
  });
  const short = (deal as string).slice(0, 8);
  await record("sion_storage_deals", { open: true });
  await record("sion_storage_close", { wallet: "alice", deal: short });
  await record("sion_storage_close", { wallet, deal: short });
  await record("sion_storage_deals", { deal: short });
  await server.close();
  for (let tries = 1;; tries++) {
    await using devnet = await staked(tries);
    const staking = openServer(devnet.place);
    const isInTime = await recordStake(devnet.place, recorder(staking));
    await staking.close();
    if (isInTime) return recordings;
    if (tries === MOST_TRIES) throw new Error("an epoch ends sooner than stake is delegated in it");
    for (const name of STAKE_CALLS) recordings.delete(name);
  }
}

/** A resource that charges, on the reference's port. */
async function recordPaidFetch(
  place: Place,
  chain: JsonValue,
  record: Record,
): Promise<void> {
  const serve = ["x402", "serve", "--price", "0.25", "--pay-to", "bob", "--json"];
  const child = spawnSion(place, serve);
  const ended = once(child, "close");
  try {
    const line = await createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]()
      .next();
    const { url } = parseJson(line.value ?? "{}") as { readonly url?: string };
    const asked = { url: `${url}/v1/resource`, wallet: "dana", max_usd: 1, chain };
    await record("sion_fetch_paid", asked);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}

/** A task from its posting to its payment, resting on a verifier's word more than on its worker. */
async function recordTask(
  place: Place,
  record: Record,
): Promise<void> {
  for (const bond of ["bob task-worker 1", "dana verifier 20", "carol judge 50"]) {
    await json(place, ["bond", "post", ...bond.split(" ")]);
  }
  const [judge] = await json(place, ["bond", "show", "carol"]) as unknown as Answer[];
  const posted = await record("sion_task_post", {
    ...{ wallet: "alice", amount_usd: 5, worker: "bob", spec: "Count the primes below 60." },
    ...{ verifiers: ["dana"], adjudicator: judge?.["adjudicator_atom"] ?? "" },
  });
  const task = posted["task"] ?? "";
  const attested = await record("sion_task_attest", { wallet: "dana", task, output: "17" });
  const attestations = [attested["claim"] ?? ""];
  const given = { wallet: "bob", task, attestations };
  const submitted = await record("sion_task_submit", { ...given, output: "17" });
  await record("sion_task_settle", { ...given, result: submitted["claim"] ?? "" });
  await record("sion_task_show", { task });
}

/**
 * The calls about stake, over two epochs that payments make pass. False when the first epoch ended
 * before its calls were made.
 */
async function recordStake(place: Place, record: Record): Promise<boolean> {
  const { pools } = await record("sion_stake_pools", {});
  const [validator = ""] = /(?<=^validator )[0-9a-f]{8}/.exec(
    (pools as unknown as readonly string[])[1] ?? "",
  ) ?? [];
  const wallet = "alice";
  const given = { wallet, validator };
  const { events } = await record("sion_stake_delegate", { ...given, amount: 5000 });
  const [{ Delegated }] = events as unknown as [{ Delegated: { delegation: string } }];
  await record("sion_stake_delegate", { ...given, amount: 0.5 });
  const { epoch } = await record("sion_stake_show", { account: wallet });
  if (epoch !== 0) return false;
  await payUntil(place, 2);
  const own = { wallet, delegation: Delegated.delegation.slice(0, 8) };
  await record("sion_stake_claim", own);
  await record("sion_stake_undelegate", own);
  await record("sion_stake_show", { account: wallet });
  await record("sion_stake_withdraw", own);
  return true;
}

/** Pays until an epoch has begun. */
async function payUntil(place: Place, epoch: number): Promise<void> {
  for (;;) {
    const status = await json(place, ["status"]);
    if (status["epoch"] as number >= epoch) return;
    await json(place, ["pay", "bob", "carol", "1"]);
  }
}

async function json(place: Place, args: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await sion(place, ...args, "--json");
  if (code !== 0) throw new Error(`sion ${args.join(" ")} ended with ${code}: ${stderr}`);
  return parseJson(stdout) as Answer;
}

/** Hex longer than an id is cut, as the page says. */
function shortened(given: Answer): Answer {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const long = typeof value === "string" && /^[0-9a-f]{65,}$/.test(value);
      return [name, long ? `${value.slice(0, 16)}…` : value];
    }),
  );
}

/** JSON on one line with a space after each colon and comma, in the order given. */
function spaced(value: Answer): string {
  const members = Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${JSON.stringify(member)}`);
  return `{${members.join(", ")}}`;
}

function openServer(place: Place) {
  const child = spawnSion(place, ["mcp"], "pipe");
  if (child.stdin === null || child.stdout === null) throw new Error("sion mcp has no streams");
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return {
    async call(name: string, given: Answer): Promise<Answer> {
      id += 1;
      const params = { name, arguments: given };
      stdin.write(`${stringifyJson({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
      const line: IteratorResult<string> = await lines.next();
      const { result } = parseJson(line.value) as unknown as {
        result: { isError?: boolean; structuredContent: Answer };
      };
      if (result.isError === true) throw new Error(`${name} failed: ${line.value}`);
      return result.structuredContent;
    },
    async close(): Promise<void> {
      stdin.end();
      await once(child, "close");
    },
  };
}
