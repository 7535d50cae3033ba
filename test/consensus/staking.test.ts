/** Committees that follow the stake: validators join and leave, weights move, who cheats is put out. */
import { describe, expect, it } from "vitest";
import { countedStake, STAKING, stakingKind, validatorKind } from "#internal/ledger/mod.ts";
import type { Action, Staking, Validator } from "#internal/ledger/mod.ts";
import { validatorId, verifyPulseCertificate } from "#internal/proofs/mod.ts";
import { delegate, leave } from "../ledger/_staking.ts";
import { accountOf, FUNDS, NAMED, usd } from "../ledger/_world.ts";
import type { NetOptions } from "./_net.ts";
import { keyOf, Net } from "./_net.ts";

const OPERATORS = [0, 1, 2, 3, 4].map((i) => `operator-${i}`);
const ACCOUNTS = [...NAMED, ...OPERATORS].map((name) => [accountOf(name), FUNDS] as const);
const STAKES = [2000, 2000, 2000, 2000].map(usd);
const idOf = (key: number): string => validatorId(keyOf(key));

function netOf(options: NetOptions = {}): Net {
  return new Net({
    accounts: ACCOUNTS,
    delayMs: [5, 15],
    stakes: STAKES,
    parameters: { epochPulses: 8n },
    ...options,
  });
}

/** Pays until a Pulse of a session has executed payments. */
function reach(net: Net, session: number): void {
  const reached = (): boolean =>
    net.effects.some(({ header, receipts }) => header.session === session && receipts.length > 0);
  for (let k = 0; k < 300 && !reached(); k++) {
    net.submit(k % 3, net.payment(NAMED[k % 4] ?? "", "bob", 1n));
    net.run(250);
  }
  expect(reached()).toBe(true);
}

/** Executes an action, and runs on until its receipt is there. */
function does(net: Net, by: string, action: Action): void {
  const unit = net.submit(0, net.action(by, action));
  expect(net.run(30_000, () => net.receipts.has(unit))).toBe(true);
  expect(net.outcomes(unit)).toEqual(["success"]);
}

function idsOf(net: Net, session: number): (string | undefined)[] {
  return net.sessions[session]?.validators.map(({ id }) => id) ?? [];
}

async function checkCertificates(net: Net): Promise<void> {
  for (const certificate of net.peer(0).certificates) {
    const context = net.certificateContext(certificate.header.session);
    expect((await verifyPulseCertificate(certificate, context)).ok).toBe(true);
  }
}

describe("a committee", () => {
  it("takes in who registered at the epoch's end, and lets go who leaves [L-515 L-641 L-643]", async () => {
    const net = netOf({ joiners: 1 });
    net.run(500);
    const key = keyOf(4);
    does(net, "operator-4", {
      kind: "stake_register",
      body: { key, stake: usd(1500), commission: 0, consent: new Uint8Array(32) },
    });
    expect(net.peer(4).validator.self).toBeNull();
    reach(net, 1);
    expect(idsOf(net, 1)).toEqual([0, 1, 2, 3, 4].map(idOf));
    expect(net.run(30_000, () => net.peer(4).validator.status().session === 1)).toBe(true);
    expect(net.peer(4).validator.self).toBe(4);
    expect(net.run(30_000, () => net.peer(4).blocks.length > 0)).toBe(true);
    // It signs certificates now.
    expect(
      net.run(
        60_000,
        () =>
          net.peer(0).certificates.some(({ header, items }) =>
            header.session === 1 && items.some((item) => item.header.author === 4)
          ),
      ),
    ).toBe(true);
    does(net, "operator-4", leave(idOf(4)));
    const session = net.sessions.length;
    reach(net, session);
    expect(idsOf(net, session)).toEqual([0, 1, 2, 3].map(idOf));
    expect(net.run(30_000, () => net.peer(4).validator.self === null)).toBe(true);
    await checkCertificates(net);
  });

  it("weighs what is delegated from the next epoch on [L-474 L-479 L-480 L-644]", async () => {
    const net = netOf();
    net.run(500);
    const weights = (session: number) => net.committeeOf(session).members.map((one) => one.weight);
    does(net, "alice", delegate(usd(1000), idOf(1)));
    expect(weights(0)).toEqual(STAKES);
    reach(net, 1);
    expect(weights(1)).toEqual(
      [2000, 3000, 2000, 2000].map(usd).map((stake, at) => at === 1 ? usd(3000) - 1n : stake),
    );
    const { state, header } = net.effects.at(-1) ?? {};
    const staking = state?.at(STAKING)?.value as Staking;
    expect(state?.at(STAKING)?.kind).toBe(stakingKind.name);
    expect([staking.epoch, header?.epoch]).toEqual([1n, 1n]);
    const validator = state?.at(idOf(1));
    expect(validator?.kind).toBe(validatorKind.name);
    expect(countedStake(validator?.value as Validator)).toBe(usd(3000));
    await checkCertificates(net);
  });

  it("goes on without a validator that signed two blocks for one round [L-481 L-514]", async () => {
    const net = netOf({ parameters: {} });
    net.run(2500);
    net.crash(3);
    // The same key on an empty store makes another block of the first round.
    net.restart(3, { wiped: true });
    net.run(10_000);
    const [accusation, ...more] = net.peer(0).validator.accusations();
    expect(more).toEqual([]);
    if (accusation === undefined) throw new Error("nobody is accused");
    expect(validatorId(accusation.key)).toBe(idOf(3));
    does(net, "alice", { kind: "evidence", body: accusation });
    reach(net, 1);
    expect(idsOf(net, 1)).toEqual([0, 1, 2].map(idOf));
    const validator = net.effects.at(-1)?.state.at(idOf(3))?.value as Validator;
    expect(validator).toMatchObject({ status: "slashed", stake: usd(1800), slashed: [0] });
    expect(net.peer(0).validator.accusations()).toEqual([accusation]);
    await checkCertificates(net);
  });
});
