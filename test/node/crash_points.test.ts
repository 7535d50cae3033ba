/**
 * One of four validators crashes right before or right after each kind of write to its store, goes on
 * from what is on its disk, and takes part again: what it sent before it never contradicts, and what
 * it acknowledged happens once.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import { toHex } from "#internal/core/mod.ts";
import type * as Store from "#internal/store/mod.ts";
import { openNodeState } from "#internal/store/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { DevnetFolder } from "../../internal/node/devnet_folder.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import type { OpenValidator } from "../../internal/node/validator.ts";
import { openValidator } from "../../internal/node/validator.ts";
import { KEPT_FILES } from "../store/_write_points.ts";
import { addressesOf, temporaryFolder, testClient } from "./devnet_fixture.ts";
import { shareOf } from "../share.ts";

/** The write at which the store of validator 0 breaks off. */
interface CrashPoint {
  readonly method: string;
  readonly when: "before" | "after";
  /** Calls of the method that still succeed. */
  left: number;
}

const plan = vi.hoisted((): { armed: CrashPoint | undefined } => ({ armed: undefined }));

class Crash extends Error {}

vi.mock("#internal/store/mod.ts", async (original) => {
  const real = await original<typeof Store>();
  /** After the crash nothing reaches the disk any more. */
  const breaking = (store: Store.NodeState): Store.NodeState => {
    let dead = false;
    return new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const { armed } = plan;
          const run = (): unknown => (value as (...args: unknown[]) => unknown).apply(target, args);
          if (name === Symbol.dispose) return run();
          if (dead) throw new Crash("the process is gone");
          if (name !== armed?.method || armed.left-- > 0) return run();
          dead = true;
          if (armed.when === "after") run();
          throw new Crash(`${armed.when} ${armed.method}`);
        };
      },
    });
  };
  return {
    ...real,
    openNodeState(...[path, options]: Parameters<typeof real.openNodeState>) {
      const store = real.openNodeState(path, options);
      return store && plan.armed !== undefined && path.includes("validator-0")
        ? breaking(store)
        : store;
    },
  };
});

const WAIT_MS = 30_000;
const MOST_PAYMENTS = 40;
/** Ones, so that the sum tells how often. */
const AMOUNT = 1n;

let home: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  home = temporaryFolder();
});
afterEach(() => {
  plan.armed = undefined;
  home[Symbol.dispose]();
});

/** What operators of the four are told. */
const told: string[] = [];
const logger: Logger = { log: (level, message) => void (level === "error" && told.push(message)) };

function openFolder(): Promise<DevnetFolder> {
  return openDevnetFolder({
    path: home.path,
    shown: "~/d",
    shape: { insecureSignatures: true },
    random: systemRandom,
    nowMs: systemClock.nowMs(),
  });
}

function open(
  { genesis, validators, fresh }: DevnetFolder,
  index: number,
  onFault: (error: unknown) => void,
): Promise<OpenValidator> {
  const place = validators[index];
  if (place === undefined) throw new RangeError("There is no such validator");
  return openValidator({
    genesis,
    place,
    fresh,
    shown: "~/d",
    peering: { kind: "run", index, token: new Uint8Array(32) },
    clock: systemClock,
    random: systemRandom,
    tuning: { burst: 16, refillMs: 10, loadedMs: 10 },
    logger,
    onFault,
  });
}

/** Written by a validator that was left behind, and by one that is handed a proof: not by this one. */
const ELSEWHERE: readonly string[] = ["importSnapshot", "keepBadEncoding"];

/** Every other row of the store's table, each at its first call and at a later one. */
const methods = [
  ...new Set(
    Object.keys(KEPT_FILES.find(({ source }) => source === "store/node_state.ts")?.writes ?? {})
      .map((name) => name.split(":", 1)[0] as string),
  ),
].filter((method) => !ELSEWHERE.includes(method));
const points = methods.flatMap((method) =>
  (["before", "after"] as const).flatMap((when) =>
    (method === "flush" ? [0] : [0, 3]).map((left) => ({ method, when, left }))
  )
);

describe("a validator that crashes at a write", () => {
  test.each(shareOf(points))(
    "$when $method, after $left of them, goes on: it contradicts nothing it sent, loses nothing it acknowledged",
    async (point) => {
      told.length = 0;
      plan.armed = { ...point };
      const folder = await openFolder();
      const crashed = Promise.withResolvers<unknown>();
      let down = false;
      void crashed.promise.then(() => down = true);
      const validators: OpenValidator[] = [];
      for (const { index } of folder.validators) {
        validators.push(
          await open(
            folder,
            index,
            index === 0 ? crashed.resolve : (error) => {
              throw error;
            },
          ),
        );
      }
      await folder.complete();
      const addresses = addressesOf(validators);
      for (const validator of validators) validator.start(addresses);
      const [victim, other] = validators as [OpenValidator, OpenValidator];
      const client = testClient(victim.calls, victim.chain);
      const witness = testClient(other.calls, other.chain);
      const before = await witness.balance("bob");

      const units = [];
      for (let i = 0n; i < MOST_PAYMENTS && !down; i++) {
        const unit = await witness.signed("alice", i, [await witness.payAction("bob", AMOUNT)]);
        units.push(unit);
        await Promise.race([client.submit(unit).catch(() => {}), crashed.promise]);
        if (point.method === "flush" && i === 3n) break;
        const digest = client.ledger.memberDigests(unit.unit)[0] as string;
        await Promise.race([
          other.calls.receipt({ digest, wait_ms: WAIT_MS }),
          crashed.promise,
        ]);
      }
      // What is queued is written at a stop, which a crash may end too.
      if (point.method !== "flush") {
        expect(down, `${point.method} was called`).toBe(true);
        expect(await crashed.promise).toBeInstanceOf(Crash);
      }
      await Promise.allSettled([victim[Symbol.asyncDispose]()]);
      plan.armed = undefined;

      const again = await open(await openFolder(), 0, (error) => {
        throw error;
      });
      again.start(addresses);
      const after = testClient(again.calls, again.chain);
      for (const unit of units) await after.submit(unit);
      for (const unit of units) {
        const digest = client.ledger.memberDigests(unit.unit)[0] as string;
        for (const { calls } of [again, other]) {
          const { receipt } = await calls.receipt({ digest, wait_ms: WAIT_MS });
          expect(receipt?.outcome).toMatchObject({ kind: "success" });
        }
      }
      const most = before + AMOUNT * BigInt(units.length);
      expect([await after.balance("bob"), await witness.balance("bob")]).toEqual([most, most]);
      // It signs again, and others count it.
      const { pulse } = await other.calls.status({});
      await expect.poll(async () => (await again.calls.status({})).pulse, { timeout: WAIT_MS })
        .toBeGreaterThanOrEqual(pulse);
      expect(await again.calls.status({})).toMatchObject({ active: true });
      for (const validator of [again, ...validators.slice(1)]) {
        await validator[Symbol.asyncDispose]();
      }
      expect(told).toEqual([]);
      expectOneBlockARound(folder);
    },
  );
});

/** No store holds two blocks of validator 0 of one round, and what two hold is the same. */
function expectOneBlockARound(folder: DevnetFolder): void {
  const seen = new Map<number, string>();
  for (const { database } of folder.validators) {
    using store = openNodeState(database, { shown: "~/d" });
    for (const { author, round, bytes, id } of store?.blocksOfRounds(0, 2 ** 31) ?? []) {
      if (author !== 0) continue;
      const told = `${id} ${toHex(bytes)}`;
      expect(seen.get(round) ?? told).toBe(told);
      seen.set(round, told);
    }
  }
  expect(seen.size).toBeGreaterThan(0);
}
