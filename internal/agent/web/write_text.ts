/** A page's tree as text in Markdown: headings, paragraphs, lists, tables, code, links with addresses. */
import { isLayoutTable, tableText } from "./tables.ts";
import type { HtmlElement, HtmlNode } from "./tree.ts";
import { BLOCKS, inOneLine } from "./tree.ts";

/** Longer addresses are not shown: they are pictures and scripts, or nothing anybody can pass on. */
const MAX_ADDRESS_LENGTH = 2_000;
/** Lists and quotations that stand in each other; what is deeper stands as the parts it has. */
const MAX_INDENT = 8;
/** Marks of links that lead to the heading they stand in. */
const PERMALINK = /^[#¶§🔗]?$/u;

/** What is written. */
export interface WrittenPage {
  readonly text: string;
  /** The addresses of its links and pictures, as they stand in the text. */
  readonly links: ReadonlySet<string>;
}

/** Writes a tree. @param base what its relative addresses are meant from */
export function writeText(root: HtmlElement, base: URL): WrittenPage {
  const writer = new Writer(base);
  return { text: writer.blocks(root.children, 0).join("\n\n"), links: writer.links };
}

/** The text of a piece of HTML in one line, as snippets of a search have it. */
export function writeLine(root: HtmlElement): string {
  return inOneLine(new Writer(undefined).inline(root.children));
}

class Writer {
  readonly links = new Set<string>();
  /** Missing where addresses are not shown. */
  readonly #base: URL | undefined;
  #inHeading = false;
  /** A box to tick is one of a list's; others are parts of forms. */
  #inItem = false;
  /** Nothing is marked twice over, so that however deep marks are nested, a text is gone over once. */
  #inLink = false;
  #inDeleted = false;

  constructor(base: URL | undefined) {
    this.#base = base;
  }

  /** Blocks of text, none of them empty. @param depth lists and quotations that they stand in */
  blocks(nodes: readonly HtmlNode[], depth: number): string[] {
    const blocks: string[] = [];
    this.#collect(nodes, depth, blocks);
    return blocks;
  }

  #collect(nodes: readonly HtmlNode[], depth: number, blocks: string[]): void {
    let run: HtmlNode[] = [];
    const add = (text: string): void => {
      if (text !== "") blocks.push(text);
    };
    for (const node of nodes) {
      if (typeof node === "string" || !startsBlock(node)) {
        run.push(node);
        continue;
      }
      add(tidied(this.inline(run)));
      run = [];
      const text = this.#block(node, depth);
      if (text === undefined) this.#collect(node.children, depth, blocks);
      else add(text);
    }
    add(tidied(this.inline(run)));
  }

  /** An element that is a block of a kind; `undefined` when only its parts are. */
  #block(node: HtmlElement, depth: number): string | undefined {
    const { tag, children } = node;
    switch (tag) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        return this.#heading(node, Number(tag[1]));
      case "pre":
        return codeBlock(node);
      case "table":
        return isLayoutTable(node)
          ? undefined
          : tableText(node, (cell) => inOneLine(this.inline(cell)));
      case "hr":
        return "---";
      default:
    }
    if (depth >= MAX_INDENT) return undefined;
    switch (tag) {
      case "ul":
      case "ol":
      case "menu":
        return this.#list(node, depth + 1);
      case "dl":
        return this.#definitions(node, depth + 1);
      case "blockquote":
        return quoted(this.blocks(children, depth + 1));
      default:
        return undefined;
    }
  }

  #heading(node: HtmlElement, level: number): string {
    this.#inHeading = true;
    const text = inOneLine(this.inline(node.children));
    this.#inHeading = false;
    return text === "" ? "" : `${"#".repeat(level)} ${text}`;
  }

  #list(node: HtmlElement, depth: number): string {
    let number = Number.parseInt(node.attributes.get("start") ?? "1", 10);
    if (!Number.isSafeInteger(number)) number = 1;
    const items: string[] = [];
    for (const child of node.children) {
      if (typeof child === "string") continue;
      this.#inItem = true;
      const blocks = this.blocks(child.tag === "li" ? child.children : [child], depth);
      this.#inItem = false;
      if (blocks.length === 0) continue;
      const mark = node.tag === "ol" ? `${number++}. ` : "- ";
      // A paragraph and the list below it stand close, as in most lists.
      const text = blocks.join(blocks.slice(1).every(isListText) ? "\n" : "\n\n");
      items.push(indented(text, mark, " ".repeat(mark.length)));
    }
    return items.join("\n");
  }

  #definitions(node: HtmlElement, depth: number): string {
    const lines: string[] = [];
    const write = (children: readonly HtmlNode[]): void => {
      for (const child of children) {
        if (typeof child === "string") continue;
        if (child.tag === "div") write(child.children);
        else {
          const text = this.blocks(child.children, depth).join("\n\n");
          if (text === "") continue;
          lines.push(child.tag === "dd" ? indented(text, ": ", "  ") : text);
        }
      }
    };
    write(node.children);
    return lines.join("\n");
  }

  /** A run of text; a line end in it is one that the page breaks. */
  inline(nodes: readonly HtmlNode[]): string {
    let text = "";
    for (const node of nodes) {
      text += typeof node === "string" ? collapsed(node) : this.#inlineElement(node);
    }
    return text;
  }

  #inlineElement(node: HtmlElement): string {
    const { tag, attributes, children } = node;
    switch (tag) {
      case "br":
        return "\n";
      case "wbr":
        return "";
      case "a":
        return this.#link(node);
      case "img":
        return this.#picture(attributes);
      case "iframe":
      case "frame":
        return this.#linkTo(attributes.get("src"), attributes.get("title") ?? "frame");
      case "input":
        return this.#inItem ? `[${attributes.has("checked") ? "x" : " "}] ` : "";
      case "button":
        return this.#inHeading ? this.inline(children) : "";
      case "code":
      case "kbd":
      case "samp":
      case "tt":
        return codeSpan(inOneLine(rawText(children)));
      case "del":
      case "s":
      case "strike":
        return this.#deleted(children);
      case "q":
        return `“${this.inline(children)}”`;
      case "sup":
        return raised(this.inline(children), children);
      case "rt":
        return `(${this.inline(children)})`;
      case "math":
        return formula(node) ?? this.inline(children);
      case "tr":
      case "caption":
        return `\n${this.inline(children)}\n`;
      case "td":
      case "th":
        return `${this.inline(children)} `;
      default:
        // Blocks in a run, as in a link around a whole card.
        return BLOCKS.has(tag) ? ` ${this.inline(children)} ` : this.inline(children);
    }
  }

  #deleted(children: readonly HtmlNode[]): string {
    if (this.#inDeleted) return this.inline(children);
    this.#inDeleted = true;
    const text = this.inline(children);
    this.#inDeleted = false;
    const inner = text.trim();
    return inner === "" ? text : text.replace(inner, () => `~~${inner}~~`);
  }

  #link({ attributes, children }: HtmlElement): string {
    if (this.#inLink) return this.inline(children);
    this.#inLink = true;
    const text = this.inline(children);
    this.#inLink = false;
    const href = attributes.get("href");
    if (href?.startsWith("#") === true) {
      return this.#inHeading && PERMALINK.test(text.trim()) ? "" : text;
    }
    const said = text.trim() === ""
      ? attributes.get("aria-label") ?? attributes.get("title")
      : text;
    return said === undefined ? "" : this.#linkTo(href, said);
  }

  #picture(attributes: HtmlElement["attributes"]): string {
    const alt = inOneLine(attributes.get("alt") ?? "");
    if (alt === "") return "";
    const address = this.#address(attributes.get("src")) ??
      this.#address(attributes.get("data-src"));
    return address === undefined ? alt : `!${bracketed(alt)}(${address})`;
  }

  #linkTo(href: string | undefined, text: string): string {
    const address = this.#address(href);
    const said = inOneLine(text);
    if (address === undefined || said === "") return text;
    const before = /^\s/u.test(text) ? " " : "";
    const after = /\s$/u.test(text) ? " " : "";
    const plain = address.replace(/^<|>$/g, "");
    const isItself = said === plain || `${said}/` === plain;
    return `${before}${isItself ? `<${plain}>` : `${bracketed(said)}(${address})`}${after}`;
  }

  /** An address as it is written into the text, kept as one that the page offers. */
  #address(href: string | undefined): string | undefined {
    if (href === undefined || this.#base === undefined) return undefined;
    if (href.length > MAX_ADDRESS_LENGTH) return undefined;
    const url = URL.parse(href.trim(), this.#base);
    if (url === null || url.href.length > MAX_ADDRESS_LENGTH) return undefined;
    if (url.protocol === "mailto:") return url.href;
    if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
    this.links.add(url.href);
    return /[()]/.test(url.href) ? `<${url.href}>` : url.href;
  }
}

function startsBlock(node: HtmlElement): boolean {
  if (BLOCKS.has(node.tag)) return true;
  return node.holdsBlock && node.tag !== "a" && node.tag !== "button";
}

function isListText(text: string): boolean {
  return /^(?:- |\d+\. )/.test(text);
}

function collapsed(text: string): string {
  return text.replace(/[ \t\n\r\f\u00a0]+/g, " ");
}

/** One space at most within a line, none at its ends, no line without words. */
function tidied(text: string): string {
  return text.split("\n").map((line) => line.replace(/ {2,}/g, " ").trim())
    .filter((line) => line !== "").join("\n");
}

function indented(text: string, first: string, rest: string): string {
  return text.split("\n").map((line, index) => {
    const mark = index === 0 ? first : rest;
    return line === "" ? mark.trimEnd() : mark + line;
  }).join("\n");
}

function quoted(blocks: readonly string[]): string {
  return blocks.length === 0 ? "" : indented(blocks.join("\n\n"), "> ", "> ");
}

/** Brackets within would end the link's text. */
function bracketed(text: string): string {
  return `[${text.replace(/[[\]]/g, (bracket) => `\\${bracket}`)}]`;
}

/** A power, but not a note's number, which is a link. */
function raised(text: string, children: readonly HtmlNode[]): string {
  if (children.some((child) => typeof child !== "string")) return text;
  const inner = text.trim();
  return /^[\p{L}\p{N}+−-]+$/u.test(inner) ? `^${inner}` : text;
}

/** A formula's TeX, where it has it. */
function formula(node: HtmlElement): string | undefined {
  for (const child of node.children) {
    if (typeof child === "string") continue;
    const isTex = child.tag === "annotation" &&
      child.attributes.get("encoding") === "application/x-tex";
    const tex = isTex ? inOneLine(rawText(child.children)) : formula(child);
    if (tex !== undefined && tex !== "") return isTex ? `$${tex}$` : tex;
  }
  return undefined;
}

/** A text as it stands, spaces and line ends kept. */
function rawText(nodes: readonly HtmlNode[]): string {
  let text = "";
  for (const node of nodes) {
    if (typeof node === "string") text += node;
    else if (node.tag === "br") text += "\n";
    else if (node.tag !== "button") text += rawText(node.children);
  }
  return text;
}

function codeSpan(text: string): string {
  if (text === "") return "";
  const fence = "`".repeat(longestRun(text) + 1);
  return text.startsWith("`") || text.endsWith("`")
    ? `${fence} ${text} ${fence}`
    : `${fence}${text}${fence}`;
}

function codeBlock(node: HtmlElement): string {
  const text = rawText(node.children).replace(/^\r?\n/, "").trimEnd();
  if (text.trim() === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${languageOf(node)}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** The language of code, where its class says it. */
function languageOf(node: HtmlElement): string {
  for (const one of [node, ...node.children]) {
    if (typeof one === "string") continue;
    const match = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,20})/
      .exec(one.attributes.get("class") ?? "");
    if (match !== null) return match[1] ?? "";
  }
  return "";
}
