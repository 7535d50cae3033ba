/** The words after a script's name: `--help`, options, and what it does not take. */
import process from "node:process";

/** What a script takes. */
export type Form = {
  /** The first line of its help, as in `scripts/build [npm|standalone|all]`. */
  readonly usage: string;
  /** What it does, in lines. */
  readonly about: readonly string[];
  /** Its options, each with what it does; none takes a value. */
  readonly options?: Readonly<Record<`--${string}`, string>>;
  /** The most words that are no options. @default 0 */
  readonly most?: number;
};

/** The words of a call, sorted. */
export type Words = {
  /** The options that were given, as in `--json`. */
  readonly options: ReadonlySet<string>;
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
  const known = form.options ?? {};
  const [script = ""] = form.usage.split(" ");
  const options = words.filter((word) => word.startsWith("-"));
  if (options.some((word) => word === "--help" || word === "-h")) return "";
  const stranger = options.find((word) => !Object.hasOwn(known, word));
  if (stranger !== undefined) return `${script} has no option ${stranger}: see ${script} --help`;
  const rest = words.filter((word) => !word.startsWith("-"));
  const surplus = rest[form.most ?? 0];
  if (surplus !== undefined) return `${script} takes no ${surplus}: see ${script} --help`;
  return { options: new Set(options), rest };
}

function helpOf({ usage, about, options = {} }: Form): string {
  const rows = Object.entries({ ...options, "--help": "this text" });
  const left = Math.max(...rows.map(([name]) => name.length));
  return [usage, ...about, ...rows.map(([name, does]) => `  ${name.padEnd(left)}  ${does}`)]
    .join("\n");
}
