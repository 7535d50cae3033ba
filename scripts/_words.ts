/** The words after a script's name: `--help`, options, and what it does not take. */
import process from "node:process";

/** What a script takes. */
export type Form = {
  /** The first line of its help, as in `scripts/build [npm|standalone|all]`. */
  readonly usage: string;
  /** What it does, in lines. */
  readonly about: readonly string[];
  /** Its options, each with what it does; `--only KEY` takes a value, `--json` none. */
  readonly options?: Readonly<Record<`--${string}`, string>>;
  /** The most words that are no options. @default 0 */
  readonly most?: number;
};

/** The words of a call, sorted. */
export type Words = {
  /** The options that were given, as in `--json`. */
  readonly options: ReadonlySet<string>;
  /** Values of those that take one, by the option's name. */
  readonly values: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
};

/**
 * Sorts the words of this process. Ends it with code 0 after `--help` or `-h`, and with code 2 and
 * one line on stderr after a word that the script does not take.
 */
export function readWords(form: Form): Words {
  const sorted = sortWords(process.argv.slice(2), form);
  if (typeof sorted !== "string") return sorted;
  if (sorted === "") {
    console.log(helpOf(form));
    process.exit(0);
  }
  console.error(`error: ${sorted}`);
  process.exit(2);
}

/** The sorted words; what is wrong with them; or `""` when help is asked for. */
function sortWords(words: readonly string[], form: Form): Words | string {
  const known = new Map<string, string | undefined>();
  for (const option of Object.keys(form.options ?? {})) {
    const [name = "", placeholder] = option.split(" ");
    known.set(name, placeholder);
  }
  const [script = ""] = form.usage.split(" ");
  const see = `see ${script} --help`;
  if (words.some((word) => word === "--help" || word === "-h")) return "";
  const options = new Set<string>();
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (!word.startsWith("-")) {
      rest.push(word);
      continue;
    }
    const [name, ...after] = word.split("=");
    const option = name as string;
    if (!known.has(option)) return `${script} has no option ${word}: ${see}`;
    options.add(option);
    const placeholder = known.get(option);
    if (placeholder === undefined) {
      if (after.length > 0) return `${option} takes no value: ${see}`;
      continue;
    }
    const value = after.length > 0 ? after.join("=") : words[at += 1];
    if (value === undefined || value === "") return `${option} needs a ${placeholder}: ${see}`;
    values.set(option, value);
  }
  const surplus = rest[form.most ?? 0];
  if (surplus !== undefined) return `${script} takes no ${surplus}: ${see}`;
  return { options, values, rest };
}

function helpOf({ usage, about, options = {} }: Form): string {
  const rows = Object.entries({ ...options, "--help": "this text" });
  const left = Math.max(...rows.map(([name]) => name.length));
  return [usage, ...about, ...rows.map(([name, does]) => `  ${name.padEnd(left)}  ${does}`)]
    .join("\n");
}
