/** A page's tables as text. */
import type { HtmlElement, HtmlNode } from "./tree.ts";

/** Columns of one table that are written. */
const MAX_COLUMNS = 60;

/** Whether a table only lays a page out, so that its cells are read one after the other. */
export function isLayoutTable(table: HtmlElement): boolean {
  if (table.attributes.get("role") === "presentation") return true;
  const rows = rowsOf(table);
  if (rows.every(({ cells }) => cells.length <= 1)) return true;
  return rows.some(({ cells }) => cells.some(holdsMore));
}

/** A table in Markdown. Its first row is taken as the heads of its columns. */
export function tableText(
  table: HtmlElement,
  write: (nodes: readonly HtmlNode[]) => string,
): string {
  const rows = rowsOf(table).map(({ cells }) => cells.flatMap((cell) => cellsOf(cell, write)))
    .filter((cells) => cells.some((text) => text !== ""));
  const [first, ...rest] = rows;
  if (first === undefined) return captionOf(table, write);
  const columns = Math.min(
    MAX_COLUMNS,
    rows.reduce((most, cells) => Math.max(most, cells.length), 0),
  );
  const lineOf = (cells: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, column) => cells[column] ?? "").join(" | ")} |`;
  const caption = captionOf(table, write);
  return [
    ...(caption === "" ? [] : [caption, ""]),
    lineOf(first),
    `|${" --- |".repeat(columns)}`,
    ...rest.map(lineOf),
  ].join("\n");
}

interface Row {
  readonly cells: readonly HtmlElement[];
}

function rowsOf(table: HtmlElement): readonly Row[] {
  const rows: Row[] = [];
  for (const child of table.children) {
    if (typeof child === "string") continue;
    if (child.tag === "tr") {
      const cells = child.children.filter((cell) => typeof cell !== "string")
        .filter(({ tag }) => tag === "td" || tag === "th");
      rows.push({ cells });
    } else if (["thead", "tbody", "tfoot"].includes(child.tag)) rows.push(...rowsOf(child));
  }
  return rows;
}

/** What no line of a table can show. */
const MORE: ReadonlySet<string> = new Set([
  ...["table", "ul", "ol", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "article"],
]);

function holdsMore(node: HtmlElement): boolean {
  return node.holdsBlock &&
    node.children.some((child) =>
      typeof child !== "string" && (MORE.has(child.tag) || holdsMore(child))
    );
}

/** A cell's text, and empty ones where it reaches over further columns. */
function cellsOf(cell: HtmlElement, write: (nodes: readonly HtmlNode[]) => string): string[] {
  const span = Number.parseInt(cell.attributes.get("colspan") ?? "1", 10);
  const width = span >= 1 && span <= MAX_COLUMNS ? span : 1;
  const text = write(cell.children).replaceAll("|", "\\|");
  return [text, ...Array.from({ length: width - 1 }, () => "")];
}

function captionOf(table: HtmlElement, write: (nodes: readonly HtmlNode[]) => string): string {
  const caption = table.children.find((child) =>
    typeof child !== "string" && child.tag === "caption"
  );
  return caption === undefined || typeof caption === "string" ? "" : write(caption.children);
}
