/** Worlds with validators, and what their operators do. */
import { taggedHash } from "#internal/crypto/mod.ts";
import type {
  Action,
  Asset,
  GenesisMember,
  LedgerObject,
  SessionMember,
  Validator,
} from "#internal/ledger/mod.ts";
import {
  assetKind,
  USD,
  VALIDATOR_SET,
  validatorId,
  validatorKind,
  validatorSetKind,
  validatorSetOf,
} from "#internal/ledger/mod.ts";
import { accountOf, NAMED, usd, World } from "./_world.ts";

/** A validator's dual public key, by its number. */
export function keyOf(number: number): Uint8Array {
  return taggedHash("test/validator-key", Uint8Array.of(number));
}

/** The id of a validator of the genesis, and of its first key. */
export function idOf(number: number): string {
  return validatorId(keyOf(number));
}

/** A world whose validators are operated by alice, bob, carol and dana, with 100,000 USD each. */
export function validatorWorld(
  stakes: readonly number[] = [100_000, 100_000, 100_000, 100_000],
): World {
  return new World({
    validators: stakes.map((stake, at): GenesisMember => ({
      publicKey: keyOf(at),
      stake: usd(stake),
      operator: accountOf(NAMED[at % NAMED.length] as string),
    })),
  });
}

/** Names a validator by an id and gives it the key of a number. */
export function rotate(validator: string, key: number): Action {
  const consent = taggedHash("test/consent", Uint8Array.of(key));
  return { kind: "rotate_key", body: { validator, key: keyOf(key), consent } };
}

/** Ends the session with a Pulse of nothing; the next committee. */
export function nextCommittee(world: World): readonly SessionMember[] {
  return world.execute([], 1000n, true).committee ?? [];
}

/** Changes a validator in the state as no transaction can yet. */
export function alter(world: World, id: string, change: Partial<Validator>): void {
  const before = world.read(validatorKind, id);
  if (before === undefined) throw new Error(`no validator ${id}`);
  put(world, [[id, { kind: validatorKind.name, value: { ...before, ...change } }]]);
}

/** Registers validators in the state as no transaction can yet: each with a stake in micro-USD. */
export function add(world: World, stakes: readonly bigint[]): void {
  const set = validatorSetOf(world.state);
  const first = set.registered.length;
  const operator = accountOf("alice");
  const values = stakes.map((stake, at): readonly [string, LedgerObject] => {
    const key = keyOf(first + at);
    const value: Validator = { operator, key, next: null, stake, status: "active", registered: 1n };
    return [idOf(first + at), { kind: validatorKind.name, value }];
  });
  const registered = [...set.registered, ...values.map(([id]) => id)];
  const usdAsset = world.read(assetKind, USD) as Asset;
  const issued = stakes.reduce((sum, stake) => sum + stake, usdAsset.genesis);
  put(world, [
    ...values,
    [VALIDATOR_SET, { kind: validatorSetKind.name, value: { ...set, registered } }],
    [USD, { kind: assetKind.name, value: { ...usdAsset, genesis: issued } }],
  ]);
}

function put(world: World, objects: readonly (readonly [string, LedgerObject])[]): void {
  const changed = new Map(objects.map(([id, object]) => {
    return [id, { object, bytes: world.ledger.encodeObject(object) }];
  }));
  world.state = world.state.with(changed, world.state.knowledge);
}
