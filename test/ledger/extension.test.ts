/** A transaction kind and an object kind added from outside, touching no file of the product. */
import { describe, expect, test } from "vitest";
import type { ValueOf } from "#internal/core/mod.ts";
import { id, struct, text, u64 } from "#internal/core/mod.ts";
import type { AnyTxKind, View } from "#internal/ledger/mod.ts";
import {
  createLedger,
  defineObjectKind,
  defineTxKind,
  LedgerError,
  USD,
} from "#internal/ledger/mod.ts";
import { accountOf, FUNDS, names, payTo, reasonOf, usd, World } from "./_world.ts";

const alice = accountOf("alice");
const product = createLedger();

/** A jar with a label that anyone can put money into, and its owner can empty. */
const jarCodec = struct({ owner: id, label: text(32), balance: u64 });
type Jar = ValueOf<typeof jarCodec>;
const jarKind = defineObjectKind({
  name: "jar",
  tag: 120,
  codec: jarCodec,
  holds: ({ balance }: Jar, add) => add(USD, balance),
  refs: ({ owner }: Jar) => ({ owner }),
  view: (jar: Jar) => ({ ...jar }),
});

const openBody = struct({ label: text(32), amount: u64 });
const jarOpen = defineTxKind({
  name: "jar_open",
  tag: 120,
  since: "test",
  certificateFixes: "outcome",
  body: openBody,
  check: ({ label }: ValueOf<typeof openBody>) => label === "" ? "a jar needs a label" : undefined,
  spendBound: ({ amount }) => ({ asset: USD, amount }),
  beyondFloor: () => 100n,
  intent: ({ label, amount }, say) => `Open a jar for ${label} with ${say.amount(amount)}`,
  apply(view: View, { label, amount }) {
    view.debit(USD, amount);
    const jar = view.create(jarKind, { owner: view.actor, label, balance: amount });
    view.emit("JarOpened", { jar, amount });
  },
  done: ({ made }, { label }, say) => `jar ${say.short(made[0] ?? "")} opened for ${label}`,
});

const emptyBody = struct({ jar: id });
const jarEmpty = defineTxKind({
  name: "jar_empty",
  tag: 121,
  since: "test",
  certificateFixes: "execution",
  body: emptyBody,
  touches: ({ jar }) => ({ shared: [jar] }),
  intent: ({ jar }, say) => `Empty jar ${say.short(jar)}`,
  apply(view: View, { jar: jarId }) {
    const jar = view.need(jarKind, jarId);
    view.require(jar.owner === view.actor, "unauthorized", "only its owner empties a jar");
    view.put(jarKind, jarId, { ...jar, balance: 0n });
    view.credit(jar.owner, USD, jar.balance);
    view.emit("JarEmptied", { jar: jarId, amount: jar.balance });
  },
  done: (_receipt, { jar }, say) => `jar ${say.short(jar)} emptied`,
});

function worldWith(...kinds: readonly AnyTxKind[]): World {
  return new World({
    kinds: [...product.kinds, ...kinds],
    objects: [...product.objects, jarKind],
  });
}

const open = { kind: "jar_open", body: { label: "tea", amount: usd(3) } };

describe("createLedger() with kinds from outside", () => {
  test("createLedger() runs them as its own: encoding, fee, vote, effects, events, sentences", () => {
    const world = worldWith(jarOpen, jarEmpty);
    const unit = world.unit("alice", [open]);
    expect(world.ledger.decodeSigned(world.ledger.encodeSigned(unit))).toEqual(unit);
    expect(world.ledger.intent(unit, names)).toBe(
      "Open a jar for tea with 3 USD. Fee 0.0012 USD; valid until Pulse 20.",
    );
    const context = { chain: unit.unit.chain, head: 0n, reservedOf: () => 0n };
    expect(world.ledger.checkForVote(world.state, unit, context)).toEqual({
      ok: true,
      spend: new Map([[alice, usd(3) + 1200n]]),
    });
    const [receipt] = world.execute([unit]).receipts;
    const jar = receipt?.made[0] ?? "";
    expect(receipt).toMatchObject({ fee: 1200n, events: [{ JarOpened: { jar, amount: usd(3) } }] });
    expect(world.sentence(open)).toBe(
      `Done: jar ${jar.slice(0, 8)} opened for tea; fee 0.0012 USD.`,
    );
    expect(world.balance(alice)).toBe(FUNDS - usd(3) - 1200n);
    const view = world.ledger.viewObject(world.state.get(jar) ?? { kind: "", value: 0 }, world);
    expect(view).toEqual({ kind: "jar", owner: alice, label: "tea", balance: usd(3) });

    const empty = { kind: "jar_empty", body: { jar } };
    expect(reasonOf(world.do("bob", empty))).toBe("unauthorized: only its owner empties a jar");
    world.do("alice", empty);
    expect(world.balance(alice)).toBe(FUNDS - 1200n - 1100n);
  });

  test("createLedger() keeps the fee of a kind apart from what it may spend", () => {
    const world = worldWith(jarOpen);
    world.do("alice", payTo([accountOf("bob"), FUNDS - 1100n - usd(3) - 1199n]));
    expect(reasonOf(world.do("alice", open))).toBe("invalid transaction: the balance is too low");
    expect(world.balance(alice)).toBe(usd(3) + 99n);
  });

  test("createLedger() counts money in them: a kind that makes or loses some is caught before the Pulse ends", () => {
    const leaky = defineTxKind({
      ...jarOpen,
      apply(view: View, { label, amount }: ValueOf<typeof openBody>) {
        view.create(jarKind, { owner: view.actor, label, balance: amount });
      },
    });
    const world = worldWith(leaky);
    expect(() => world.do("alice", open)).toThrow(LedgerError);
    expect(() => world.do("alice", open)).toThrow(/3000000 more micro-units/);
    const burning = worldWith(defineTxKind({
      ...jarOpen,
      apply: (view: View, { amount }: ValueOf<typeof openBody>) => view.debit(USD, amount),
    }));
    expect(() => burning.do("alice", open)).toThrow(/3000000 less micro-units/);
  });

  test("createLedger() stops a kind from what it did not declare", () => {
    const nosy = (touches: boolean, apply: (view: View) => void): World =>
      worldWith(defineTxKind({
        name: "nosy",
        tag: 125,
        since: "test",
        certificateFixes: "outcome",
        body: struct({}),
        touches: () => ({ shared: touches ? [alice] : [] }),
        intent: () => "Look",
        apply,
        done: () => "looked",
      }));
    const look = { kind: "nosy", body: {} };
    const read = nosy(false, (view) => void view.get(jarKind, alice));
    expect(() => read.do("bob", look)).toThrow(/did not declare it/);
    const write = nosy(
      false,
      (view) => view.put(jarKind, alice, { owner: alice, label: "", balance: 0n }),
    );
    expect(() => write.do("bob", look)).toThrow(/not the transaction's to write/);
    const shared = nosy(true, () => {});
    expect(() => shared.do("bob", look)).toThrow(/a fixed outcome and shared objects/);
  });

  test("createLedger() refuses kinds that share a name or tag, or have no tag of one byte", () => {
    expect(() => createLedger({ kinds: [jarOpen, { ...jarEmpty, tag: 120 }] })).toThrow(
      LedgerError,
    );
    expect(() => createLedger({ kinds: [jarOpen, { ...jarEmpty, name: "jar_open" }] })).toThrow(
      LedgerError,
    );
    for (const tag of [0, 128, 1.5]) {
      expect(() => createLedger({ kinds: [{ ...jarOpen, tag }] })).toThrow(LedgerError);
    }
    expect(() => createLedger({ objects: [jarKind, jarKind] })).toThrow(LedgerError);
  });

  test("createLedger() without them does not know their bytes", () => {
    const bytes = worldWith(jarOpen).ledger.encodeSigned(worldWith(jarOpen).unit("alice", [open]));
    expect(() => product.decodeSigned(bytes)).toThrow(/120 is no known kind/);
    expect(() => product.encodeSigned(new World().unit("alice", [open]))).toThrow(/no known kind/);
    const receipt = worldWith(jarOpen).do("alice", open);
    expect(() => product.outcome(receipt, undefined, names)).not.toThrow();
    expect(
      product.decodeSigned(product.encodeSigned(new World().unit("alice", [payTo([alice, 1n])])))
        .unit.members,
    ).toHaveLength(1);
  });
});
