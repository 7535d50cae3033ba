import { describe, expect, test } from "vitest";
import { idBytes, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import {
  rotationDigest,
  validatorId,
  validatorKeyKind,
  validatorKind,
  validatorSetOf,
} from "#internal/ledger/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import { consenting } from "../_consent.ts";
import { add, alter, idOf, keyOf, nextCommittee, rotate, validatorWorld } from "../_validators.ts";
import { accountOf, CHAIN, names, reasonOf, usd } from "../_world.ts";

const first = idOf(0);
const keysOf = (members: readonly { readonly key: Uint8Array }[]) =>
  members.map(({ key }) => validatorId(key));

describe("rotate_key", () => {
  test("rotate_key gives a validator another key from the next session on [L-140]", () => {
    const world = validatorWorld();
    const action = rotate(first, 10);
    const [was, will] = [first.slice(0, 8), idOf(10).slice(0, 8)];
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Change the key of validator ${was} to ${will} from the next session on. ` +
        "Fee 0.0011 USD; valid until Pulse 20.",
    );
    const receipt = world.do("alice", action);
    expect(receipt.events).toEqual([
      { KeyRotated: { ends: 8n, from: first, to: idOf(10), validator: first } },
    ]);
    expect(world.ledger.event(receipt.events[0], names)).toBe(
      `validator ${was} changes its key from ${was} to ${will} when its session ends, ` +
        "at Pulse 8 or soon after",
    );
    expect(world.sentence(action)).toBe(
      `Done: validator ${was} signs with key ${will} from the next session on, which begins at ` +
        "about Pulse 9; fee 0.0011 USD.",
    );
    expect(world.last?.endsSession).toBe(true);
    expect(world.read(validatorKind, first)).toMatchObject({
      key: keyOf(0),
      next: { key: keyOf(10), since: 1n },
    });
    expect(world.read(validatorKeyKind, idOf(10))).toEqual({ validator: first });
    expect(keysOf(validatorSetOf(world.state).committee)).toEqual([0, 1, 2, 3].map(idOf));
    expect(keysOf(nextCommittee(world))).toEqual([10, 1, 2, 3].map(idOf));
    expect(world.last?.endsSession).toBe(false);
    expect(world.read(validatorKind, first)).toMatchObject({ key: keyOf(10), next: null });
    const { committee, before } = validatorSetOf(world.state);
    expect(keysOf(committee)).toEqual([10, 1, 2, 3].map(idOf));
    expect(keysOf(before)).toEqual([0, 1, 2, 3].map(idOf));
  });

  test("rotate_key takes any key that the validator had for its name, and keeps its object's id", () => {
    const world = validatorWorld();
    world.make("alice", rotate(first, 10));
    nextCommittee(world);
    world.make("alice", rotate(idOf(10), 11));
    const [{ validator, key } = { validator: "", key: new Uint8Array() }] = nextCommittee(world);
    expect([validator, key]).toEqual([first, keyOf(11)]);
    world.make("alice", rotate(first, 12));
    expect(keysOf(nextCommittee(world))).toEqual([12, 1, 2, 3].map(idOf));
  });

  test.each<readonly [string, string, Action, string]>([
    ["of nobody", "alice", rotate(idOf(9), 10), `there is no validator ${idOf(9).slice(0, 8)}`],
    [
      "by another's operator",
      "bob",
      rotate(first, 10),
      `only the operator of validator ${first.slice(0, 8)} may change its key`,
    ],
    ["to its own key", "alice", rotate(first, 0), "a validator has or had this key"],
    ["to another's key", "alice", rotate(first, 3), "a validator has or had this key"],
  ])("rotate_key fails %s", (_what, by, action, reason) => {
    const world = validatorWorld();
    expect(reasonOf(world.do(by, action))).toMatch(
      new RegExp(`^(invalid transaction|unauthorized): ${reason}$`),
    );
    expect(world.last?.endsSession).toBe(false);
  });

  test("rotate_key fails while a change is pending, and to a key that any validator ever had", () => {
    const world = validatorWorld();
    world.make("alice", rotate(first, 10));
    const pending = `invalid transaction: the key of validator ${
      first.slice(0, 8)
    } changes already`;
    expect(reasonOf(world.do("alice", rotate(first, 11)))).toBe(pending);
    const used = "invalid transaction: a validator has or had this key";
    expect(reasonOf(world.do("bob", rotate(idOf(1), 10)))).toBe(used);
    nextCommittee(world);
    for (const key of [0, 10, 1]) {
      expect(reasonOf(world.do("alice", rotate(first, key)))).toBe(used);
    }
    expect(reasonOf(world.do("bob", rotate(idOf(1), 0)))).toBe(used);
  });

  test("rotate_key fails for a validator that left", () => {
    const world = validatorWorld();
    alter(world, first, { status: "left" });
    expect(reasonOf(world.do("alice", rotate(first, 10)))).toBe(
      `invalid transaction: validator ${first.slice(0, 8)} has left`,
    );
  });

  test("rotate_key refuses an empty key", () => {
    const world = validatorWorld();
    const action: Action = {
      kind: "rotate_key",
      body: { validator: first, key: new Uint8Array(), consent: new Uint8Array() },
    };
    expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
  });
});

describe("verifyAuthorization()", () => {
  test("verifyAuthorization() asks for the new key's signature, of this slot on this chain", async () => {
    const { operator, fresh, place, consent, isAuthorized } = await consenting();
    const signed = async (
      by: typeof fresh,
      at: typeof place,
      validator: string,
    ): Promise<boolean> =>
      await isAuthorized({
        kind: "rotate_key",
        body: {
          validator: first,
          key: fresh.publicKey,
          consent: await consent(by, rotationDigest(at, validator)),
        },
      });
    expect(await signed(fresh, place, first)).toBe(true);
    expect(await signed(operator, place, first)).toBe(false);
    expect(await signed(fresh, { ...place, sequence: 8n }, first)).toBe(false);
    expect(await signed(fresh, { ...place, chain: "11".repeat(32) }, first)).toBe(false);
    expect(await signed(fresh, { ...place, account: accountOf("bob") }, first)).toBe(false);
    expect(await signed(fresh, place, idOf(1))).toBe(false);
  });

  test("rotationDigest() is a hash of its own domain", () => {
    const place = { chain: CHAIN, account: accountOf("alice"), sequence: 258n };
    expect(toHex(rotationDigest(place, first))).toBe(toHex(taggedHash(
      "sion/rotate/v1",
      idBytes(CHAIN),
      idBytes(first),
      idBytes(accountOf("alice")),
      Uint8Array.of(2, 1, 0, 0, 0, 0, 0, 0),
    )));
  });
});

describe("Ledger.execute()", () => {
  test("Ledger.execute() chooses the sixteen with the most stake, in their order, at a session's end", () => {
    const world = validatorWorld([5, 5, 5, 5]);
    add(world, Array.from({ length: 14 }, (_, at) => at === 0 ? 0n : usd(at === 13 ? 5 : 6)));
    const committee = nextCommittee(world);
    // Of the equal stakes the earlier ones: 5 of 3 stays out with 17, and 4 has no stake.
    expect(keysOf(committee)).toEqual(
      [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map(idOf),
    );
    alter(world, idOf(6), { status: "left" });
    expect(keysOf(nextCommittee(world))).toEqual(
      [0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].map(idOf),
    );
  });

  test("Ledger.execute() keeps the committee when nobody is left", () => {
    const world = validatorWorld();
    for (const at of [0, 1, 2, 3]) alter(world, idOf(at), { status: "left" });
    expect(keysOf(nextCommittee(world))).toEqual([0, 1, 2, 3].map(idOf));
  });
});
