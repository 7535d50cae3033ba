import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LogLevel } from "#internal/core/mod.ts";
import { encode } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { Header } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, headerCodec } from "#internal/proofs/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { createWorldProver } from "../../internal/node/world_prover.ts";

const MAX_TRANSACTIONS = 256;
const MAX_WITNESS_BYTES = 1 << 16;
const MAX_DATA_BYTES = 1 << 22;

const id = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

const FIRST: Header = {
  version: FORMAT_VERSION,
  chain: id(1),
  number: 0n,
  previous: id(0),
  session: 0,
  sessionEnd: null,
  epoch: 0n,
  anchorCount: 0n,
  anchors: [],
  beacon: id(2),
  timeMs: 0n,
  stateRoot: id(3),
  knowledgeRoot: id(4),
  knowledgeSize: 0n,
  receiptsRoot: id(5),
  dataRoot: id(6),
  config: id(7),
  forcedRoot: id(8),
  forcedPending: 0,
  forcedOverdue: 0,
  tail: id(9),
  leavesRoot: id(10),
};

/** What a prover logs of a Pulse of which the store serves so many bytes of nonsense. */
async function checked(
  { data = 100, witness = 100, transactions = 1 }: {
    readonly data?: number;
    readonly witness?: number;
    readonly transactions?: number;
  },
): Promise<readonly string[]> {
  const told: string[] = [];
  const header = encode(headerCodec, { ...FIRST, number: 1n });
  const store = {
    header: () => header,
    published: () => ({ data: new Uint8Array(data).fill(255) }),
    witness: () => new Uint8Array(witness).fill(255),
    endOfSession: () => undefined,
    pulse: (number: number) => ({
      executed: {
        succeeded: 1_000 + (number === 1 ? transactions - 1 : 0),
        failed: 1,
        void: number,
      },
    }),
  } as unknown as NodeState;
  const prover = createWorldProver({
    ledger: createLedger(),
    store,
    parameters: {} as never,
    first: FIRST,
    logger: { log: (level: LogLevel, message: string) => void told.push(`${level}: ${message}`) },
    nowMs: () => Date.now(),
    busy: () => false,
  });
  prover.executed(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(prover.proven()).toBe(0);
  prover.stop();
  return told;
}

describe("createWorldProver()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a Pulse that its store does not show is told of as an error", async () => {
    expect(await checked({ witness: MAX_WITNESS_BYTES, transactions: MAX_TRANSACTIONS })).toEqual([
      expect.stringMatching(/^error: Cannot check the World Proof of Pulse 1: /),
    ]);
  });

  test.each([
    ["many transactions", { transactions: MAX_TRANSACTIONS + 1 }],
    ["a large witness", { witness: MAX_WITNESS_BYTES + 1 }],
    ["much published data", { data: MAX_DATA_BYTES + 1 }],
  ])("a Pulse with %s is left to light clients", async (_what, sizes) => {
    expect(await checked(sizes)).toEqual([]);
  });
});
