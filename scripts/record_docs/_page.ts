/** A page of docs/ that a program makes, and how tables are written. */

/** A generated page. */
export interface Page {
  /** From the repository's folder. */
  readonly path: string;
  text(): Promise<string>;
}

/** The line under a generated page's title. */
export const MADE_BY =
  "<!-- Made by scripts/record-docs. Change the program's data, not this page. -->";

/** A table with a heading row. Bars in cells are escaped. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heading), `|${"---|".repeat(heading.length)}`, ...rows.map(line)].join("\n");
}
