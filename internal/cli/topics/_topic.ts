/** A page of `sion help` that is about no one command. */

/** A topic: `sion help <name>` prints its text. */
export interface Topic {
  readonly name: string;
  text(): string;
}

/** Rows of two columns, indented by two. */
export function rows(pairs: readonly (readonly [string, string])[]): string {
  const left = Math.max(...pairs.map(([first]) => first.length));
  return pairs.map(([first, second]) => `  ${first.padEnd(left)}  ${second}`).join("\n");
}
