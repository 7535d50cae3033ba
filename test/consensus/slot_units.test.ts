/** Which units want a slot, one or several. */
import { describe, expect, it } from "vitest";
import { SlotUnits } from "../../internal/consensus/slot_units.ts";
import { slotKey } from "../../internal/consensus/unit_facts.ts";

const ACCOUNT = "ab".repeat(32);
const key = (sequence: number): string => slotKey(ACCOUNT, BigInt(sequence));
const slots = (...sequences: readonly number[]) =>
  sequences.map((sequence) => ({ account: ACCOUNT, sequence: BigInt(sequence) }));

describe("SlotUnits", () => {
  it("SlotUnits names a slot's units in the order they came, and counts them", () => {
    const slots = new SlotUnits();
    expect([...slots.on("a")]).toEqual([]);
    expect(slots.add("a", "one")).toBe(1);
    expect(slots.add("a", "one")).toBe(1);
    expect([...slots.on("a")]).toEqual(["one"]);
    expect(slots.add("a", "two")).toBe(2);
    expect(slots.add("a", "one")).toBe(2);
    expect([...slots.on("a")]).toEqual(["one", "two"]);
    expect([...slots.on("b")]).toEqual([]);
  });

  it("SlotUnits takes units away, and others stay", () => {
    const slots = new SlotUnits();
    expect(slots.delete("a", "one")).toBe(0);
    slots.add("a", "one");
    expect(slots.delete("a", "other")).toBe(1);
    slots.add("a", "two");
    expect(slots.delete("a", "one")).toBe(1);
    expect([...slots.on("a")]).toEqual(["two"]);
    expect(slots.delete("a", "two")).toBe(0);
    expect([...slots.on("a")]).toEqual([]);
  });

  it("SlotUnits names units that are past on each of their slots, and nowhere else", () => {
    const units = new SlotUnits();
    units.addPast("three", slots(10, 11, 20));
    units.addPast("long", slots(...Array.from({ length: 8 }, (_, at) => at + 8)));
    units.addPast("one", slots(9));
    units.add(key(11), "late");
    const on = (sequence: number): string[] => [...units.on(key(sequence))].sort();
    expect([7, 8, 9, 10, 11, 12, 15, 16, 19, 20, 21].map(on)).toEqual([
      [],
      ["long"],
      ["long", "one"],
      ["long", "three"],
      ["late", "long", "three"],
      ["long"],
      ["long"],
      [],
      [],
      ["three"],
      [],
    ]);
    expect([...units.on(slotKey("cd".repeat(32), 10n))]).toEqual([]);
    units.forgetPast(new Set(["three", "one"]));
    expect([9, 10, 20].map(on)).toEqual([["long"], ["long"], []]);
  });

  it("SlotUnits says of past units what it says of the others, whatever their slots", () => {
    const [past, others] = [new SlotUnits(), new SlotUnits()];
    for (let unit = 0; unit < 200; unit++) {
      // Lengths and beginnings of every kind, many over each other.
      const from = (unit * 37) % 101;
      const length = 1 + (unit * unit) % 19;
      const own = slots(...Array.from({ length }, (_, at) => from + at));
      past.addPast(String(unit), own);
      for (const { sequence } of own) others.add(key(Number(sequence)), String(unit));
    }
    for (let sequence = 0; sequence < 130; sequence++) {
      const [a, b] = [past, others].map((units) => [...units.on(key(sequence))].sort());
      expect(a, `slot ${sequence}`).toEqual(b);
    }
  });
});
