/** Copies of the product's folders in which broken rules can be switched on, one at a time. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";

/** A broken rule: an expression that stands once in a file, and what it becomes. */
export type Mutant = readonly [what: string, file: string, from: string, to: string];

/** A copy with mutants in it. */
export interface Mutated extends Disposable {
  /** Imports a file of the copy. */
  load(file: string): Promise<unknown>;
  /** Switches on the mutant of an index, -1 for none. */
  choose(index: number): void;
  /**
   * Finds which of many works can notice a mutant, by doing each once as the product is: one that does not come
   * to a mutant's expression comes out the same with it.
   */
  noticing<T>(works: readonly T[], work: (one: T) => unknown): (mutant: number) => readonly T[];
}

/** What the planted expressions ask, and tell that they were come to. */
interface Chosen {
  mutant: number;
  readonly reached: Set<number>;
}

/**
 * Copies a folder and plants the mutants in it.
 * @param files the folder in it that the mutants' files are relative to.
 */
export async function plantMutants(
  folder: string,
  files: string,
  mutants: readonly Mutant[],
): Promise<Mutated> {
  mkdirSync(".cache", { recursive: true });
  const copy = mkdtempSync(resolve(".cache", "mutants-"));
  cpSync(resolve(folder), copy, { recursive: true });
  writeFileSync(
    join(copy, "chosen.ts"),
    "export const chosen = { mutant: -1, reached: new Set<number>() };\n",
  );
  const sites = new Map<string, Map<string, number[]>>();
  for (const [index, [, file, from]] of mutants.entries()) {
    const ofFile = sites.get(file) ?? new Map<string, number[]>();
    sites.set(file, ofFile.set(from, [...ofFile.get(from) ?? [], index]));
  }
  for (const [file, ofFile] of sites) plant(copy, join(copy, files, file), ofFile, mutants);
  const load = (file: string): Promise<unknown> =>
    import(/* @vite-ignore */ pathToFileURL(join(copy, file)).href);
  const { chosen } = await load("chosen.ts") as { chosen: Chosen };
  return {
    load,
    choose: (index) => void (chosen.mutant = index),
    noticing(works, work) {
      const byMutant = mutants.map((): typeof works[number][] => []);
      chosen.mutant = -1;
      for (const one of works) {
        chosen.reached.clear();
        work(one);
        for (const mutant of chosen.reached) byMutant[mutant]?.push(one);
      }
      return (mutant) => byMutant[mutant] ?? [];
    },
    [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** Puts the mutants of a file beside the expressions that they replace. */
function plant(
  copy: string,
  path: string,
  sites: ReadonlyMap<string, readonly number[]>,
  mutants: readonly Mutant[],
): void {
  let text = readFileSync(path, "utf8");
  for (const [from, indices] of sites) {
    expect(text.split(from).length, `${path}: ${from}`).toBe(2);
    const reached = indices.map((index) => `chosen.reached.add(${index}), `);
    const choices = indices.map((index) =>
      `chosen.mutant === ${index} ? (${mutants[index]?.[3]}) : `
    );
    text = text.replace(from, () => `(${reached.join("")}${choices.join("")}(${from}))`);
  }
  const up = relative(join(path, ".."), join(copy, "chosen.ts"));
  const source = up.startsWith(".") ? up : `./${up}`;
  writeFileSync(path, `import { chosen } from "${source}";\n${text}`);
}
