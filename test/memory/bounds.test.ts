import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bounds, Hull } from "#internal/memory/mod.ts";
import { boundsFault, joinBounds, meets } from "#internal/memory/mod.ts";
import { atomOf, atoms, box, boxes, FRAMES, isIn, modelBounds } from "./_atoms.ts";

const some = fc.array(atoms, { maxLength: 8 });

describe("bounds", () => {
  it("joinBounds() gives the bounds of all atoms, in whichever order they are joined", () => {
    fc.assert(fc.property(some, some, some, (a, b, c) => {
      const x: Bounds = modelBounds(a);
      const y: Bounds = modelBounds(b);
      const z: Bounds = modelBounds(c);
      const all = modelBounds([...a, ...b, ...c]);
      expect(joinBounds(joinBounds(x, y), z)).toEqual(all);
      expect(joinBounds(x, joinBounds(y, z))).toEqual(all);
      expect(joinBounds(z, joinBounds(y, x))).toEqual(all);
      expect(boundsFault(all)).toBeUndefined();
    }));
  });

  it("joinBounds() tells four frames apart and takes five as any", () => {
    const places: Bounds[] = FRAMES.map((frame, i) =>
      modelBounds([atomOf({ at: [BigInt(i), 0n, 0n], frame })])
    );
    const four = places.slice(0, 4).reduce(joinBounds);
    expect(four.map(({ frame }) => frame)).toEqual(["dock", "warehouse-3", "yard", "île"]);
    const five = places.slice(0, 5).reduce(joinBounds);
    expect(five).toEqual([{ frame: null, min: [-5n, -5n, -5n, 100n], max: [9n, 5n, 5n, 130n] }]);
    expect(joinBounds(five, four)).toEqual(five);
    expect(joinBounds(five, [])).toEqual(five);
  });

  it("meets() never misses an atom below, and of one atom says exactly whether it is in the box", () => {
    fc.assert(fc.property(some, boxes, (all, asked) => {
      if (all.some((atom) => isIn(atom, asked))) expect(meets(modelBounds(all), asked)).toBe(true);
      for (const atom of all) expect(meets(modelBounds([atom]), asked)).toBe(isIn(atom, asked));
    }));
  });

  it("meets() has half-open edges on every axis [L-453]", () => {
    const bounds = modelBounds([atomOf({ at: [0n, 0n, 0n], from: 0n, until: 10n })]);
    expect(meets(bounds, box([4, 4, 4], [9, 9, 9], 9, 20))).toBe(true);
    expect(meets(bounds, box([5, 4, 4], [9, 9, 9], 9, 20))).toBe(false);
    expect(meets(bounds, box([4, 4, 4], [9, 9, 9], 10, 20))).toBe(false);
    expect(meets(bounds, box([-9, -9, -9], [-4, -4, -4], -9, 1))).toBe(true);
    expect(meets(bounds, box([-9, -9, -9], [-4, -5, -4], -9, 1))).toBe(false);
    expect(meets(bounds, box([-9, -9, -9], [-4, -4, -4], -9, 0))).toBe(false);
    expect(meets(bounds, box([-9, -9, -9], [9, 9, 9], -9, 9, "yard"))).toBe(false);
  });

  it("boundsFault() refuses what no tree can have", () => {
    const [hull] = modelBounds([atomOf({ at: [0n, 0n, 0n] })]) as [Hull];
    const faulty: [Bounds, RegExp][] = [
      [[{ ...hull, frame: "" }], /no name/],
      [[{ ...hull, max: hull.min }], /empty/],
      [[hull, hull], /ascending/],
      [[{ ...hull, frame: "z" }, hull], /ascending/],
      [[{ ...hull, frame: "a" }, { ...hull, frame: null }], /beside others/],
      [[{ ...hull, frame: null }, hull], /beside others/],
      [[{ ...hull, frame: null }, { ...hull, frame: null }], /beside others/],
    ];
    for (const [bounds, fault] of faulty) expect(boundsFault(bounds)).toMatch(fault);
  });
});
