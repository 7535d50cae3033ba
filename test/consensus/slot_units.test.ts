/** Which units want a slot, one or several. */
import { describe, expect, it } from "vitest";
import { SlotUnits } from "../../internal/consensus/slot_units.ts";

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
});
