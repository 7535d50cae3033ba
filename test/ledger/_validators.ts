/** Worlds with validators, and what their operators do. */
import { taggedHash } from "#internal/crypto/mod.ts";
import type {
  Action,
  Asset,
  GenesisMember,
  LedgerObject,
  SessionMember,
  Staking,
  Validator,
} from "#internal/ledger/mod.ts";
import {
  assetKind,
  STAKING,
  stakingKind,
  USD,
  VALIDATOR_SET,
  validatorId,
  validatorKind,
  validatorSetKind,
  validatorSetOf,
} from "#internal/ledger/mod.ts";
import { tallied } from "../../internal/ledger/objects/staking.ts";
import { newValidator } from "../../internal/ledger/objects/validator.ts";
import type { WorldOptions } from "./_world.ts";
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
  options: Omit<WorldOptions, "validators"> = {},
): World {
  return new World({
    ...options,
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

/** Changes a validator in the state where no transaction would, and the sums over all with it. */
export function alter(world: World, id: string, change: Partial<Validator>): void {
  const before = world.read(validatorKind, id);
  if (before === undefined) throw new Error(`no validator ${id}`);
  const value = { ...before, ...change };
  put(world, [[id, { kind: validatorKind.name, value }], tally(world, [[before, value]])]);
}

/** Registers validators in the state where no transaction would: each with a stake in micro-USD. */
export function add(world: World, stakes: readonly bigint[]): void {
  const set = validatorSetOf(world.state);
  const first = set.registered.length;
  const operator = accountOf("alice");
  const values = stakes.map((stake, at): readonly [string, LedgerObject] => {
    const key = keyOf(first + at);
    const given = {
      operator,
      key,
      stake,
      status: "active",
      registered: 1n,
      commission: 0,
    } as const;
    return [idOf(first + at), { kind: validatorKind.name, value: newValidator(given) }];
  });
  const registered = [...set.registered, ...values.map(([id]) => id)];
  const usdAsset = world.read(assetKind, USD) as Asset;
  const issued = stakes.reduce((sum, stake) => sum + stake, usdAsset.genesis);
  put(world, [
    ...values,
    tally(world, values.map(([, { value }]) => [undefined, value as Validator])),
    [VALIDATOR_SET, { kind: validatorSetKind.name, value: { ...set, registered } }],
    [USD, { kind: assetKind.name, value: { ...usdAsset, genesis: issued } }],
  ]);
}

/** The sums over all validators after changes. */
function tally(
  world: World,
  changes: readonly (readonly [Validator | undefined, Validator])[],
): readonly [string, LedgerObject] {
  let value = world.read(stakingKind, STAKING) as Staking;
  for (const [before, after] of changes) value = tallied(value, before, after);
  return [STAKING, { kind: stakingKind.name, value }];
}

function put(world: World, objects: readonly (readonly [string, LedgerObject])[]): void {
  const changed = new Map(objects.map(([id, object]) => {
    return [id, { object, bytes: world.ledger.encodeObject(object) }];
  }));
  world.state = world.state.with(changed, world.state.knowledge);
}
