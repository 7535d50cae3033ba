import { describe, expect, test } from "vitest";
import { fromHex, idBytes } from "#internal/core/mod.ts";
import { loadDualBackend, taggedHash } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import {
  accountId,
  blockId,
  createLedger,
  NO_SALT,
  policyOfKey,
  registrationDigest,
  validatorKind,
  verifyAuthorization,
} from "#internal/ledger/mod.ts";
import type { Offence, Place } from "../_staking.ts";
import {
  againstStop,
  block,
  onTwoUnits,
  showing,
  stakeWorld,
  twoBlocks,
  twoPulseVotes,
} from "../_staking.ts";
import { consenting } from "../_consent.ts";
import { idOf, keyOf, rotate } from "../_validators.ts";
import { accountOf, CHAIN, names, payTo, reasonOf, usd } from "../_world.ts";
import type { World } from "../_world.ts";

const bob = accountOf("bob");
const short = idOf(0).slice(0, 8);

function rival(world: World, amount: bigint, validUntil = 5n, ahead = 0): SignedUnit {
  return world.unit("alice", [payTo([bob, amount])], { validUntil, ahead });
}

function rivals(world: World): readonly [SignedUnit, SignedUnit] {
  return [rival(world, 1n), rival(world, 2n)];
}

/** The two headers of an offence. */
function headersOf(offence: Offence) {
  return offence.kind === "stopped"
    ? [offence.body.stop, offence.body.confirm]
    : [offence.body.first, offence.body.second];
}

describe("evidence", () => {
  test.each<readonly [string, (world: World) => Offence, string]>([
    ["two blocks of a round", () => twoBlocks(), "by two blocks of round 7 of session 0"],
    [
      "votes on two units of a slot",
      (world) => onTwoUnits(world, "votes", rivals(world)),
      "by two votes on one slot in session 0",
    ],
    [
      "confirmations of two units of a slot",
      (world) => onTwoUnits(world, "confirms", rivals(world)),
      "by two confirmations on one slot in session 0",
    ],
    [
      "a confirmation against a stop that named nobody",
      (world) => againstStop(world, rival(world, 1n)),
      "by a confirmation against its stop in session 0",
    ],
    [
      "a confirmation against a stop that named another",
      (world) => againstStop(world, rival(world, 1n), { named: "11".repeat(32) }),
      "by a confirmation against its stop in session 0",
    ],
    [
      "votes on two headers of a Pulse",
      () => twoPulseVotes(),
      "by two votes on Pulse 2 in session 0",
    ],
  ])("evidence of %s slashes a tenth [L-481 L-514]", (_what, of, by) => {
    const world = stakeWorld();
    const action = showing(of(world));
    expect(world.ledger.intent(world.unit("carol", [action]), names)).toBe(
      `Have validator ${short} slashed, ${by}. Fee 0.0011 USD; valid until Pulse 20.`,
    );
    world.make("carol", action);
    expect(world.sentence(action)).toBe(
      `Done: validator ${short} slashed by 10,000 USD of its own stake and 0 USD of its pool; ` +
        "fee 0.0011 USD.",
    );
    expect(world.read(validatorKind, idOf(0))?.stake).toBe(usd(90_000));
  });

  test("evidence is about whoever has or had the key", () => {
    const world = stakeWorld();
    world.make("alice", rotate(idOf(0), 10));
    world.make("carol", showing(twoBlocks(), 10));
    expect(world.read(validatorKind, idOf(0))?.slashed).toEqual([0]);
  });

  test.each<readonly [string, (world: World) => Offence, string]>([
    [
      "units that share no slot",
      (world) => onTwoUnits(world, "votes", [rival(world, 1n), rival(world, 1n, 5n, 1)]),
      "the units of the evidence share no slot",
    ],
    [
      // A unit that is valid until Pulse 5 is dead from round 17 on, and its lock gone.
      "a vote that came when the earlier unit was dead",
      (world) => onTwoUnits(world, "votes", rivals(world), [{ round: 7 }, { round: 17 }]),
      "the later statement is not below the bound of the earlier unit",
    ],
    [
      "a slot that the unit does not have",
      (world) => againstStop(world, rival(world, 1n), { slot: { account: bob, sequence: 0n } }),
      "the unit of the evidence does not have the slot that was stopped",
    ],
    [
      "bytes that are no unit",
      (world) => onTwoUnits(world, "votes", [rival(world, 1n), Uint8Array.of(1, 2)]),
      "a unit of the evidence cannot be read",
    ],
  ])("evidence shows nothing by %s", (_what, of, reason) => {
    const world = stakeWorld();
    expect(reasonOf(world.do("carol", showing(of(world))))).toBe(`invalid transaction: ${reason}`);
    expect(world.read(validatorKind, idOf(0))?.slashed).toEqual([]);
  });

  /** Changes the statement of an offence that is shown second. */
  function withSecond<O extends Offence>(offence: O, change: object): O {
    const name = offence.kind === "stopped" ? "confirm" : "second";
    const body = offence.body as unknown as { readonly [part: string]: object };
    return { ...offence, body: { ...body, [name]: { ...body[name], ...change } } };
  }

  const two = (first: Place, second: Place) => [first, second] as const;
  test.each<readonly [string, (world: World) => Offence]>([
    ["one block twice", () => twoBlocks({}, {})],
    ["blocks of two rounds", () => twoBlocks({ round: 7 }, { round: 8 })],
    ["blocks of two sessions", () => twoBlocks({ session: 0 }, { session: 1, mark: 1 })],
    [
      "statements of two sessions",
      (world) =>
        onTwoUnits(world, "votes", rivals(world), two({ session: 1 }, { session: 2, round: 8 })),
    ],
    [
      "the later statement first",
      (world) => onTwoUnits(world, "votes", rivals(world), two({ round: 8 }, { round: 7 })),
    ],
    [
      "two votes on one unit",
      (world) => onTwoUnits(world, "votes", [rival(world, 1n), rival(world, 1n)]),
    ],
    [
      "a confirmation of what the stop names",
      (world) => {
        const unit = rival(world, 1n);
        return againstStop(world, unit, { named: world.ledger.unitDigest(unit.unit) });
      },
    ],
    [
      "a stop in the confirmation's round",
      (world) => againstStop(world, rival(world, 1n), { rounds: [7, 7] }),
    ],
    ["two votes on one header", () => twoPulseVotes(["11".repeat(32), "11".repeat(32)])],
    [
      "a vote at another place of its block",
      (world) => withSecond(onTwoUnits(world, "votes", rivals(world)), { index: 0 }),
    ],
    [
      "a stop that is shown by the block without it",
      (world) => withSecond(againstStop(world, rival(world, 1n)), { header: block().header }),
    ],
    ["a vote without a path", () => withSecond(twoPulseVotes(), { path: [] })],
    [
      "votes that are confirmations",
      (world) => ({ ...onTwoUnits(world, "votes", rivals(world)), kind: "confirms" }),
    ],
  ])("evidence of %s is no transaction at all", (_what, of) => {
    const world = stakeWorld();
    const unit = world.unit("carol", [showing(of(world))]);
    expect(() => world.ledger.encodeSigned(unit)).toThrow(TypeError);
  });

  test("verifyAuthorization() asks for the accused key's signature of both blocks, on this chain", async () => {
    const backend = await loadDualBackend("insecure");
    const random = (length: number) => new Uint8Array(length);
    const reporter = await backend.keysFromSeed(taggedHash("test/reporter"));
    const accused = await backend.keysFromSeed(taggedHash("test/accused"));
    const ledger = createLedger();
    const policy = policyOfKey(reporter.publicKey);
    const account = accountId(policy, NO_SALT);
    const world = stakeWorld();
    const accuse = async (
      of: Offence,
      by: readonly [typeof accused, typeof accused],
      chain = CHAIN,
    ): Promise<boolean> => {
      const shown = await Promise.all(
        headersOf(of).map(async ({ header }, at) => {
          const digest = blockId({ ...header, chain: idBytes(chain) });
          return await backend.sign(by[at] as typeof accused, digest, random);
        }),
      );
      const body = of.body as unknown as { readonly [part: string]: object };
      const [first, second] = of.kind === "stopped" ? ["stop", "confirm"] : ["first", "second"];
      const offence = {
        ...of,
        body: {
          ...body,
          [first as string]: { ...body[first as string], signature: shown[0] },
          [second as string]: { ...body[second as string], signature: shown[1] },
        },
      } as unknown as Offence;
      const unit: SignedUnit["unit"] = {
        chain: CHAIN,
        validUntil: 9n,
        maxFee: usd(1),
        members: [{
          account,
          sequence: 0n,
          kind: "evidence",
          body: { key: accused.publicKey, offence },
        }],
      };
      const digest = fromHex(ledger.unitDigest(unit));
      const signatures = [{ key: 0, signature: await backend.sign(reporter, digest, random) }];
      const authorization = { policy, salts: [NO_SALT], signatures };
      return await verifyAuthorization(backend, { unit, authorization }, ledger);
    };
    for (
      const of of [
        twoBlocks(),
        onTwoUnits(world, "confirms", rivals(world)),
        againstStop(world, rival(world, 1n)),
        twoPulseVotes(),
      ]
    ) {
      expect(await accuse(of, [accused, accused])).toBe(true);
      expect(await accuse(of, [accused, reporter])).toBe(false);
      expect(await accuse(of, [reporter, accused])).toBe(false);
      expect(await accuse(of, [accused, accused], "11".repeat(32))).toBe(false);
    }
  });

  test("verifyAuthorization() asks a new validator's key for its consent, in this slot alone", async () => {
    const { operator, fresh, place, consent, isAuthorized } = await consenting();
    const registers = async (by: typeof fresh, at: typeof place): Promise<boolean> =>
      await isAuthorized({
        kind: "stake_register",
        body: {
          key: fresh.publicKey,
          stake: usd(1000),
          commission: 0,
          consent: await consent(by, registrationDigest(at)),
        },
      });
    expect(await registers(fresh, place)).toBe(true);
    expect(await registers(operator, place)).toBe(false);
    expect(await registers(fresh, { ...place, sequence: 8n })).toBe(false);
    expect(await registers(fresh, { ...place, chain: "11".repeat(32) })).toBe(false);
    expect(await registers(fresh, { ...place, account: bob })).toBe(false);
  });

  test("evidence and stake_register refuse an empty key, and a commission above everything", () => {
    const world = stakeWorld();
    const { offence } = showing(twoBlocks()).body as { readonly offence: Offence };
    const consent = new Uint8Array();
    const none = new Uint8Array();
    const bodies = [
      { kind: "evidence", body: { key: none, offence } },
      { kind: "stake_register", body: { key: none, stake: usd(1000), commission: 0, consent } },
      {
        kind: "stake_register",
        body: { key: keyOf(10), stake: usd(1000), commission: 10_001, consent },
      },
      { kind: "stake_register", body: { key: keyOf(10), stake: 0n, commission: 0, consent } },
      { kind: "stake_commission", body: { validator: idOf(0), commission: 10_001 } },
      { kind: "stake_delegate", body: { validator: idOf(0), amount: 0n } },
    ];
    for (const action of bodies) {
      expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
    }
  });
});
