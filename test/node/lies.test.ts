/**
 * A node that lies in one place: everything else it says is what an honest devnet says. Each lie has
 * to be refused, in the line that it is about.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Codec, JsonValue } from "#internal/core/mod.ts";
import { decode, encode, fromHex, parseJson, stringifyJson, toHex } from "#internal/core/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { accountKey } from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import type {
  Header,
  HeaderProof,
  LocksPage,
  PulseData,
  SessionStep,
  StateProof,
} from "#internal/proofs/mod.ts";
import {
  chainOriginCodec,
  headerCodec,
  headerProofCodec,
  locksPageCodec,
  pulseDataCodec,
  receiptProofCodec,
  sessionStepCodec,
  shareProofCodec,
  stateProofCodec,
  validatorId,
} from "#internal/proofs/mod.ts";
import type { MethodName } from "#internal/rpc/mod.ts";
import { methods, RpcError } from "#internal/rpc/mod.ts";
import { startTestDevnet, temporaryFolder, testClient } from "./devnet_fixture.ts";
import type { TestClient, TestDevnet } from "./devnet_fixture.ts";

type Answer = Record<string, unknown>;
type Params = Record<string, unknown>;
/** Changes the honest answer to a call; what it throws is what the liar answers. */
type Lie = (answer: Answer, params: Params) => Answer | Promise<Answer>;

interface Case {
  readonly name: string;
  /** Number of the line, from 1, that has to fail. */
  readonly line: number;
  readonly reason: RegExp;
  readonly lies: Partial<Record<MethodName, Lie>>;
}

let folder: ReturnType<typeof temporaryFolder>;
let devnet: TestDevnet;
let other: ReturnType<typeof temporaryFolder>;
let otherNet: TestDevnet;
let wallets: TestClient;
let digests: string[];
/** The Pulse that is verified: in session 1 or later, with three transactions. */
let pulse: number;
let sequence = 0n;

/** Pays until a Pulse is certified: an idle chain takes its time. */
const certified = async (number: number): Promise<void> => {
  while ((await devnet.calls.status({})).certified_pulse < number) {
    const paid = await wallets.pay("carol", "bob", 1n, sequence++);
    await devnet.calls.receipt({ digest: paid.digests[0] as string, wait_ms: 15_000 });
  }
};

beforeAll(async () => {
  folder = temporaryFolder();
  other = temporaryFolder();
  devnet = await startTestDevnet(folder.path, { shape: { epochPulses: 4 } });
  otherNet = await startTestDevnet(other.path, { which: [0], shape: { validators: 1 } });
  wallets = testClient(devnet.calls, devnet.chain);
  await certified(9);
  const batch = await wallets.signed("alice", 0n, [
    await wallets.payAction("bob", 1n),
    await wallets.payAction("carol", 2n),
    await wallets.payAction("dana", 3n),
  ]);
  digests = [...(await wallets.submit(batch)).digests];
  const told = await devnet.calls.receipt({ digest: digests[0] as string, wait_ms: 15_000 });
  pulse = told.receipt?.pulse as number;
  await certified(pulse + 2);
});
afterAll(async () => {
  await devnet[Symbol.asyncDispose]();
  await otherNet[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  other[Symbol.dispose]();
});

async function honest(method: MethodName, params: unknown, from = devnet): Promise<Answer> {
  const read = methods[method].params.parse(parseJson(stringifyJson(params)), method);
  const call = from.calls[method] as (params: unknown, options: object) => Promise<unknown>;
  return parseJson(stringifyJson(await call(read, {}))) as Answer;
}

/** A client whose node tells these lies. */
function lied(lies: Case["lies"], more: Partial<ClientOptions> = {}): Client {
  return openClient({
    env: {},
    home: `${folder.path}/home`,
    chain: devnet.chain,
    async transport(name, params) {
      const method = name as MethodName;
      const answer = await honest(method, params);
      const lie = lies[method];
      return lie === undefined ? answer : await lie(answer, params as Params) as JsonValue;
    },
    ...more,
  });
}

/** Decodes `bytes` of the answer, changes the value, encodes it again. */
function edited<T>(codec: Codec<T>, change: (value: T) => T | Promise<T>): Lie {
  return async (answer) => {
    const value = decode(codec, fromHex(answer["bytes"] as string));
    return { ...answer, bytes: toHex(encode(codec, await change(value))) };
  };
}
const flipped = (bytes: Uint8Array, at = 5): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
const flip: Lie = (answer) => ({
  ...answer,
  bytes: toHex(flipped(fromHex(answer["bytes"] as string), 40)),
});
const refuse: Lie = () => {
  throw new RpcError("not-found", "There is none here");
};
const insteadOf = (method: MethodName, params: () => unknown): Lie => () =>
  honest(method, params());
const ofOtherChain = (method: MethodName, params: unknown): Lie => () =>
  honest(method, params, otherNet);

const header = (change: (value: Header) => Partial<Header>): Lie =>
  edited(headerProofCodec, ({ before, certificate }: HeaderProof): HeaderProof => {
    const [first, ...rest] = [...before, certificate.header] as Header[];
    const headers = [{ ...first, ...change(first as Header) } as Header, ...rest];
    const last = headers.pop() as Header;
    return { before: headers, certificate: { header: last, items: certificate.items } };
  });
const items = (
  change: (items: HeaderProof["certificate"]["items"]) => HeaderProof["certificate"]["items"],
): Lie =>
  edited(headerProofCodec, (proof: HeaderProof): HeaderProof => ({
    ...proof,
    certificate: { ...proof.certificate, items: change(proof.certificate.items) },
  }));
const data = (change: (value: PulseData) => PulseData): Lie =>
  edited(pulseDataCodec, change as never);
const published = (change: (value: PulseData) => PulseData): Lie => async (answer, params) => {
  const lie = await data(change)(answer, params);
  return { ...lie, size: (lie["bytes"] as string).length / 2 };
};
const locks = (change: (page: LocksPage) => LocksPage): Lie =>
  edited(locksPageCodec, change as never);
const firstLock = (
  change: (items: LocksPage["locks"][number]["body"]["items"]) => readonly unknown[],
): Lie =>
  locks(({ blocks, locks: [first, ...rest] }) => ({
    blocks,
    locks: [{ ...first, body: { items: change(first?.body.items ?? []) } }, ...rest],
  } as LocksPage));
const state = (change: (proof: StateProof) => StateProof): Lie =>
  edited(stateProofCodec, change as never);
const step =
  (change: (step: SessionStep) => SessionStep | Promise<SessionStep>): Lie => async (answer) => {
    const [first, ...rest] = answer["steps"] as string[];
    const value = decode(sessionStepCodec, fromHex(first as string));
    return { ...answer, steps: [toHex(encode(sessionStepCodec, await change(value))), ...rest] };
  };
const receiptsList = (change: (list: string[]) => string[]): Lie => (answer) => {
  const list = change(answer["receipts"] as string[]);
  return { ...answer, receipts: list, count: list.length };
};
const share = (change: (bytes: Uint8Array) => Uint8Array): Lie => (answer) => ({
  ...answer,
  shares: (answer["shares"] as string[]).map((hex, i) =>
    i === 7 ? toHex(change(fromHex(hex))) : hex
  ),
});

/** Another validator's real key pair, made by the liar. */
const foreignKey = async (): Promise<Uint8Array> => {
  const backend = await loadDualBackend("insecure");
  return (await backend.keysFromSeed(new Uint8Array(32).fill(9))).publicKey;
};

const CASES: readonly Case[] = [
  // 1: the chain
  {
    name: "another chain",
    line: 1,
    reason: /not the pinned/,
    lies: { genesis: ofOtherChain("genesis", {}) },
  },
  {
    name: "a wrong key under a known id",
    line: 1,
    reason: /identifier is not that of its keys/,
    lies: {
      genesis: edited(chainOriginCodec, async (origin) => {
        const publicKey = await foreignKey();
        const validators = origin.config.validators.map((v, i) =>
          i === 0 ? { ...v, publicKey } : v
        );
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "a validator of the liar's, id and all",
    line: 1,
    reason: /not those of its first header/,
    lies: {
      genesis: edited(chainOriginCodec, async (origin) => {
        const publicKey = await foreignKey();
        const id = validatorId(publicKey);
        const validators = origin.config.validators
          .map((v, i) => i === 0 ? { ...v, id, publicKey } : v);
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "more weight for one validator",
    line: 1,
    reason: /weight is not that of its stake/,
    lies: {
      genesis: edited(chainOriginCodec, (origin) => {
        const validators = origin.config.validators
          .map((v, i) => i === 0 ? { ...v, weight: v.weight * 3n } : v);
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "another genesis state",
    line: 1,
    reason: /not the pinned/,
    lies: {
      genesis: edited(chainOriginCodec, (origin) => ({
        ...origin,
        header: { ...origin.header, stateRoot: new Uint8Array(32) },
      })),
    },
  },
  { name: "no genesis", line: 1, reason: /does not give it/, lies: { genesis: refuse } },
  {
    name: "garbage as genesis",
    line: 1,
    reason: /decode|bytes|Cannot/,
    lies: { genesis: (a) => ({ ...a, bytes: "00ff" }) },
  },
  // 2: the header
  {
    name: "a missing Pulse",
    line: 2,
    reason: /There is none here/,
    lies: { header_proof: refuse },
  },
  {
    name: "the header of another Pulse",
    line: 2,
    reason: /it is Pulse \d+'s/,
    lies: { header_proof: insteadOf("header_proof", () => ({ number: pulse - 1 })) },
  },
  {
    name: "a header of another chain",
    line: 2,
    reason: /of another chain/,
    lies: { header_proof: header(() => ({ chain: new Uint8Array(32).fill(7) })) },
  },
  {
    name: "a header of another format",
    line: 2,
    reason: /it has format 9/,
    lies: { header_proof: header(() => ({ version: 9 })) },
  },
  {
    name: "a header of other validators",
    line: 2,
    reason: /other validators or parameters/,
    lies: { header_proof: header(({ config }) => ({ config: flipped(config) })) },
  },
  {
    name: "a header of a session that there is not",
    line: 2,
    reason: /end of session|session/,
    lies: { header_proof: header(({ session }) => ({ session: session + 900 })) },
  },
  {
    name: "no steps between sessions",
    line: 2,
    reason: /end of session 0 is not shown/,
    lies: { session_steps: () => ({ steps: [], more: false, pulse: 1 }) },
  },
  {
    name: "a session's end without its quorum",
    line: 2,
    reason: /is not proven: \d+ of \d+ stake signed/,
    lies: {
      session_steps: step(({ certificate, next }) => ({
        certificate: { ...certificate, items: certificate.items.slice(0, 2) },
        next,
      })),
    },
  },
  {
    name: "a next session with the liar's validator",
    line: 2,
    reason: /fixes other validators/,
    lies: {
      session_steps: step(async ({ certificate, next }) => {
        const publicKey = await foreignKey();
        const validators = next.validators
          .map((v, i) => i === 0 ? { ...v, id: validatorId(publicKey), publicKey } : v);
        return { certificate, next: { ...next, validators } };
      }),
    },
  },
  {
    name: "a session that ends early",
    line: 2,
    reason: /is not proven/,
    lies: {
      session_steps: step(({ certificate, next }) => ({
        certificate: { ...certificate, header: { ...certificate.header, number: 2n } },
        next,
      })),
    },
  },
  // 3: the certificate
  {
    name: "a changed state root",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(({ stateRoot }) => ({ stateRoot: flipped(stateRoot) })) },
  },
  {
    name: "a changed time",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(({ timeMs }) => ({ timeMs: timeMs + 1n })) },
  },
  {
    name: "a hidden overdue intent",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(() => ({ forcedOverdue: 1, forcedPending: 1 })) },
  },
  {
    name: "an old certificate",
    line: 3,
    reason: /does not hold the statement|of another session/,
    lies: {
      header_proof: async (answer) => {
        const old = await honest("header_proof", { number: pulse - 1 });
        const { certificate } = decode(headerProofCodec, fromHex(old["bytes"] as string));
        return await items(() => certificate.items)(answer, {});
      },
    },
  },
  {
    name: "too few signers",
    line: 3,
    reason: /stake signed, the quorum is/,
    lies: { header_proof: items((list) => list.slice(0, 2)) },
  },
  {
    name: "a signer twice",
    line: 3,
    reason: /counts twice/,
    lies: { header_proof: items((list) => [...list.slice(0, 2), list[0] as never]) },
  },
  {
    name: "a signature of another validator",
    line: 3,
    reason: /signature of validator \d is invalid/,
    lies: {
      header_proof: items((list) =>
        list.map((item, i) =>
          i === 0 ? { ...item, header: { ...item.header, author: 3 - item.header.author } } : item
        )
      ),
    },
  },
  {
    name: "a changed signature",
    line: 3,
    reason: /signature of validator \d is invalid/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({ ...item, signature: flipped(item.signature) }))
      ),
    },
  },
  {
    name: "votes of another session",
    line: 3,
    reason: /of another session/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({
          ...item,
          header: { ...item.header, session: item.header.session + 1 },
        }))
      ),
    },
  },
  {
    name: "a vote of no validator",
    line: 3,
    reason: /of no validator/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({ ...item, header: { ...item.header, author: 9 } }))
      ),
    },
  },
  {
    name: "no signers",
    line: 3,
    reason: /^certificate: 0 of/,
    lies: { header_proof: items(() => []) },
  },
  // 5: the receipts
  { name: "no receipts", line: 5, reason: /does not give it/, lies: { receipts: refuse } },
  {
    name: "a receipt less",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList((list) => list.slice(1)) },
  },
  {
    name: "receipts in another order",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList((list) => [...list].reverse()) },
  },
  {
    name: "a swapped receipt",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList(([first = "", ...rest]) => [rest[0] ?? first, ...rest]) },
  },
  {
    name: "a receipt with another outcome",
    line: 5,
    reason: /not those under the receipts root/,
    lies: {
      receipts: receiptsList((list) =>
        list.map((hex, i) => i === 0 ? toHex(flipped(fromHex(hex), 110)) : hex)
      ),
    },
  },
  {
    name: "the receipts of another Pulse",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: insteadOf("receipts", () => ({ number: pulse - 1 })) },
  },
  {
    name: "fewer receipts than it counts",
    line: 5,
    reason: /receipts are missing/,
    lies: {
      receipts: (
        a,
        p,
      ) => (p["from"] === 0 ? { ...a, count: 99 } : { ...a, receipts: [], count: 99 }),
    },
  },
  // 6: the state
  { name: "no state proof", line: 6, reason: /does not give it/, lies: { object_proof: refuse } },
  {
    name: "a richer account",
    line: 6,
    reason: /not under the state root/,
    lies: {
      object_proof: state((proof) => ({
        ...proof,
        object: flipped(proof.object as Uint8Array, 45),
      })),
    },
  },
  {
    name: "a present account as absent",
    line: 6,
    reason: /not under the state root/,
    lies: { object_proof: state((proof) => ({ ...proof, object: null })) },
  },
  {
    name: "a neighbour in place of the account",
    line: 6,
    reason: /another object is proven/,
    lies: {
      object_proof: async () => {
        const { certified_pulse: number } = await devnet.calls.status({});
        return await honest("object_proof", { number, key: accountKey("ab".repeat(32)) });
      },
    },
  },
  {
    name: "the state of another Pulse",
    line: 6,
    reason: /another object is proven|not under the state root/,
    lies: { object_proof: insteadOf("object_proof", () => ({ number: pulse - 1 })) },
  },
  {
    name: "another shard's root",
    line: 6,
    reason: /not under the state root/,
    lies: { object_proof: state((proof) => ({ ...proof, shardRoot: flipped(proof.shardRoot) })) },
  },
  // 7: the data is there
  { name: "no shares", line: 7, reason: /does not give it/, lies: { shares: refuse } },
  {
    name: "a tampered share",
    line: 7,
    reason: /not under the data root/,
    lies: { shares: share((bytes) => flipped(bytes, 20)) },
  },
  {
    name: "a withheld share",
    line: 7,
    reason: /15 of 16 random shares verified: the share .* is not there/,
    lies: {
      shares: (a, p) => ({
        ...a,
        shares: (p["places"] as unknown[]).length === 16
          ? (a["shares"] as string[]).slice(0, 15)
          : [],
      }),
    },
  },
  {
    name: "the same share for all places",
    line: 7,
    reason: /answered with another one/,
    lies: {
      shares: (a) => ({ ...a, shares: (a["shares"] as string[]).map((_, __, all) => all[0]) }),
    },
  },
  {
    name: "shares of the liar's own square",
    line: 7,
    reason: /0 of 16 .* not under the data root/,
    lies: {
      shares: (answer, params) => {
        const square = DataSquare.of(new Uint8Array(5_000).fill(1));
        const places = params["places"] as {
          row: number;
          column: number;
          through: "row" | "column";
        }[];
        const shares = places.map(({ row, column, through }) =>
          toHex(encode(shareProofCodec, square.prove(row, column, through)))
        );
        return { ...answer, shares };
      },
    },
  },
  {
    name: "shares of another Pulse",
    line: 7,
    reason: /not under the data root/,
    lies: { shares: (_, p) => honest("shares", { ...p, number: pulse - 1 }) },
  },
  // 5, 8, 9: what was published
  { name: "no published data", line: 8, reason: /does not give it/, lies: { published: refuse } },
  {
    name: "other published data",
    line: 8,
    reason: /does not encode to the certified data root/,
    lies: { published: flip },
  },
  {
    name: "a unit left out",
    line: 8,
    reason: /does not encode/,
    lies: { published: published((value) => ({ ...value, units: [] })) },
  },
  {
    name: "another time published",
    line: 8,
    reason: /does not encode/,
    lies: {
      published: published((value) => ({
        ...value,
        times: value.times.map((t) => ({ ...t, timeMs: t.timeMs + 1n })),
      })),
    },
  },
  {
    name: "data that ends early",
    line: 8,
    reason: /published data is missing/,
    lies: {
      published: (
        a,
        p,
      ) => (p["from"] === 0
        ? { ...a, size: (a["size"] as number) + 9 }
        : { ...a, bytes: "", size: (a["size"] as number) + 9 }),
    },
  },
  {
    name: "another header before",
    line: 8,
    reason: /header before is not the one/,
    lies: { header: edited(headerCodec, (value) => ({ ...value, timeMs: value.timeMs - 5n })) },
  },
  // 9: the locks
  {
    name: "no lane certificates",
    line: 9,
    reason: /does not give it/,
    lies: { lane_certificates: refuse },
  },
  {
    name: "a lock left out",
    line: 9,
    reason: /locks are missing/,
    lies: { lane_certificates: locks((page) => ({ ...page, locks: [] })) },
  },
  {
    name: "a lock too many",
    line: 9,
    reason: /locks are missing/,
    lies: {
      lane_certificates: locks((page) => ({ ...page, locks: [...page.locks, ...page.locks] })),
    },
  },
  {
    name: "too few voters",
    line: 9,
    reason: /stake locked it, the quorum is/,
    lies: { lane_certificates: firstLock((list) => list.slice(0, 2)) },
  },
  {
    name: "a voter twice",
    line: 9,
    reason: /counts twice/,
    lies: { lane_certificates: firstLock((list) => [...list.slice(0, 2), list[0]]) },
  },
  {
    name: "a vote elsewhere in the block",
    line: 9,
    reason: /does not hold the statement/,
    lies: {
      lane_certificates: firstLock((list) =>
        list.map((item) => ({ ...item, index: item.index + 1, count: item.count + 1 }))
      ),
    },
  },
  {
    name: "a changed vote's signature",
    line: 9,
    reason: /signature of validator \d is invalid/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({ ...b, signature: flipped(b.signature) })),
      })),
    },
  },
  {
    name: "votes too late to count",
    line: 9,
    reason: /too late to count/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, round: b.header.round + 1_000 },
        })),
      })),
    },
  },
  {
    name: "votes of another chain",
    line: 9,
    reason: /of another chain/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, chain: new Uint8Array(32) },
        })),
      })),
    },
  },
  {
    name: "votes of a session to come",
    line: 9,
    reason: /nobody of the session locked it/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, session: b.header.session + 5 },
        })),
      })),
    },
  },
  {
    name: "the locks of another Pulse",
    line: 9,
    reason: /.+/,
    lies: { lane_certificates: insteadOf("lane_certificates", () => ({ number: pulse - 1 })) },
  },
  {
    name: "Stops in place of Votes",
    line: 9,
    reason: /statements of another kind/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        locks: page.locks.map(({ body }) => ({
          kind: "stops",
          body: { items: body.items.map((item) => ({ ...item, named: null })) },
        })),
      })),
    },
  },
];

describe("a light client at a lying node", () => {
  test("there are at least forty lies, and the honest node tells none", async () => {
    expect(CASES.length).toBeGreaterThanOrEqual(40);
    const { report } = await lied({}).verifyPulse({ pulse });
    const failing = report.filter((line) => line.endsWith("✗"));
    expect(failing.filter((line) => !line.startsWith("world proof"))).toEqual([]);
  });

  for (const { name, line, reason, lies } of CASES) {
    test(`verifyPulse() refuses ${name} [L-277]`, async () => {
      using client = lied(lies);
      const { report, verified } = await client.verifyPulse({ pulse });
      expect(verified).toBe(false);
      expect(report).toHaveLength(9);
      expect(report[line - 1]).toMatch(/ ✗$/);
      expect(report[line - 1]).toMatch(reason);
      for (const before of report.slice(0, Math.min(line - 1, 4))) expect(before).not.toMatch(/✗$/);
      // What follows an identity, header or certificate that does not hold is not judged at all.
      for (const after of line <= 3 ? report.slice(line) : []) expect(after).toMatch(/not checked/);
    });
  }
});

describe("a receipt from a lying node", () => {
  const LIES: readonly (readonly [string, RegExp, Case["lies"]])[] = [
    ["a swapped receipt", /is another transaction's/, {
      receipt_proof: insteadOf("receipt_proof", () => ({ digest: digests[1] })),
    }],
    ["a changed receipt", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, receipt: flipped(p.receipt, 100) })),
    }],
    ["another place", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, index: (p.index + 1) % p.count })),
    }],
    ["another Pulse", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, pulse: p.pulse + 1n })),
    }],
    ["a certificate without a quorum", /certificate does not hold/, {
      header_proof: items((list) => list.slice(0, 1)),
    }],
    ["another chain", /not the pinned/, { genesis: ofOtherChain("genesis", {}) }],
    ["no proof", /does not give it/, { receipt_proof: refuse }],
  ];
  for (const [name, reason, lies] of LIES) {
    test(`receipt() refuses ${name} [L-331 L-332 L-333]`, async () => {
      using client = lied(lies);
      await expect(client.receipt(digests[0] as string)).rejects.toThrow(reason);
    });
  }

  test("receipt() shows no member that its digests do not fix [L-344]", async () => {
    using client = lied({
      receipt: async (answer) => {
        const unit = await wallets.signed("alice", 0n, [await wallets.payAction("dana", 9n)]);
        return { ...answer, tx: toHex(wallets.ledger.encodeSigned(unit)) };
      },
    });
    const { receipt } = await client.receipt(digests[0] as string);
    expect(receipt).toMatch(/^Done: transaction [0-9a-f]{8} executed; fee 0\.000567 USD\.$/);
  });
});

describe("following a lying node", () => {
  const followed = async (client: Client): Promise<number[]> => {
    const heads: number[] = [];
    for await (const { pulse } of client.followChain({ once: true })) heads.push(pulse);
    return heads;
  };

  test("followChain() notices data that is withheld [L-600]", async () => {
    using client = lied({ shares: (a) => ({ ...a, shares: [] }) }, { home: `${folder.path}/a` });
    await expect(followed(client)).rejects.toMatchObject({ code: "withheld" });
  });

  test("followChain() refuses heads without a certificate, and says when the node is behind", async () => {
    const home = `${folder.path}/b`;
    using unsigned = lied({ header_proof: items(() => []) }, { home });
    await expect(followed(unsigned)).rejects.toMatchObject({ code: "not-proven" });
    using client = lied({}, { home });
    expect(await followed(client)).toHaveLength(1);
    using behind = lied({ status: (a) => ({ ...a, certified_pulse: 2 }) }, { home });
    await expect(followed(behind)).rejects.toMatchObject({ code: "behind" });
  });

  test("followChain() reports a fork and keeps the other side [L-602]", async () => {
    const home = `${folder.path}/c`;
    using client = lied({}, { home });
    await followed(client);
    const { openLightState } = await import("#internal/store/mod.ts");
    {
      // What is trusted here is changed: the node's certified header then contradicts it.
      using kept = openLightState(home);
      const head = kept.trusted(devnet.chain);
      if (head === undefined) throw new Error("nothing is trusted");
      const changed = {
        ...decode(headerCodec, head.header),
        timeMs: 1n,
        number: BigInt(head.number + 1),
      };
      kept.trust(devnet.chain, {
        ...head,
        number: head.number + 1,
        header: encode(headerCodec, changed),
      });
    }
    await certified((await devnet.calls.status({})).certified_pulse + 3);
    await expect(followed(client)).rejects.toMatchObject({ code: "fork" });
    using kept = openLightState(home);
    expect(kept.forks(devnet.chain)).toBe(1);
  });
});
