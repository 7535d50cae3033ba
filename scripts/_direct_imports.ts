/**
 * Imports past the doors of units. `internal/<unit>/mod.ts` exports a whole unit, and the bundler
 * counts every file behind it as needed by whoever imports one name of it; so each name is imported
 * from the file that has it, and a program loads what it uses. No file does anything when it is
 * imported, so nothing else changes.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./_project.ts";

/** Where a name is made. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

const DECLARED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
const PASSED_ON = /^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm;
const ALL_PASSED_ON = /^export (?:type )?\* from "([^"]+)";/gm;
/**
 * Units whose files have so little in common that an import when it is needed is past the door too.
 * Each such file is an entry of the bundle, which makes parts smaller.
 */
const APART = ["node", "store"];
const NEEDED_LATER = new RegExp(
  String.raw`const \{([^}]*)\} = await import\("(#internal/(?:${
    APART.join("|")
  })/mod\.ts)"(?: as string)?\)`,
  "g",
);
const IMPORTED = /^import \{([^}]*)\} from "((?:#internal\/|\.)[^"]*\/mod\.ts|\.\/mod\.ts)";/gm;

/** Finds where names that files export are made. Reads each file once. */
export class Origins {
  readonly #known = new Map<string, ReadonlyMap<string, Origin>>();

  /** A source with its imports of doors replaced, line for line. */
  direct(source: string, file: string): string {
    return source.replaceAll(IMPORTED, (whole, list: string, from: string) => {
      const door = this.#of(pathOf(from, file));
      const wanted = new Map<string, string[]>();
      for (const [name, as] of namesIn(list)) {
        const origin = door.get(name);
        // A form of export that is not read here: the door is right too.
        if (origin === undefined) return whole;
        const names = wanted.get(origin.file) ?? [];
        wanted.set(origin.file, [...names, `${origin.name} as ${as}`]);
      }
      const imports = [...wanted].map(([path, names]) =>
        `import { ${names.join(", ")} } from ${JSON.stringify(path)};`
      );
      return imports.join(" ") + "\n".repeat(whole.split("\n").length - 1);
    }).replaceAll(NEEDED_LATER, (whole, list: string, from: string) => {
      const door = this.#of(pathOf(from, file));
      const names = namesIn(list).map(([name, as]) => ({ origin: door.get(name), as }));
      const [first] = names;
      if (first?.origin === undefined) return whole;
      const { file: path } = first.origin;
      if (!names.every(({ origin }) => origin?.file === path)) return whole;
      const taken = names.map(({ origin, as }) => `${origin?.name}: ${as}`);
      return `const { ${taken.join(", ")} } = await import(${JSON.stringify(path)})`;
    });
  }

  #of(file: string): ReadonlyMap<string, Origin> {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(file, "utf8");
    const found = new Map<string, Origin>();
    for (const [, from = ""] of source.matchAll(ALL_PASSED_ON)) {
      for (const entry of this.#of(pathOf(from, file))) found.set(...entry);
    }
    for (const [, list = "", from = ""] of source.matchAll(PASSED_ON)) {
      const path = pathOf(from, file);
      for (const [name, as] of namesIn(list)) {
        found.set(as, this.#of(path).get(name) ?? { file: path, name });
      }
    }
    for (const [, name = ""] of source.matchAll(DECLARED)) found.set(name, { file, name });
    this.#known.set(file, found);
    return found;
  }
}

/** The values in a list of names, each with what it is called here. */
function namesIn(list: string): readonly (readonly [name: string, as: string])[] {
  const names = list.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "" && !name.startsWith("type ")).map((name) => {
    const [own = "", as = own] = name.split(" as ");
    return [own, as];
  });
}

function pathOf(from: string, file: string): string {
  return from.startsWith("#internal/") ? join(ROOT, from.slice(1)) : join(dirname(file), from);
}
