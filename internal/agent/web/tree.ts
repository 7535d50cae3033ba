/**
 * HTML as a tree of what a reader sees: scripts, styles, drawings and what a page hides are left out
 * while it is parsed. Work and memory are bounded by the page's length, whatever is nested in what.
 */
import { Parser } from "htmlparser2";

/** A piece of a page. */
export type HtmlNode = HtmlElement | string;

/** An element. */
export interface HtmlElement {
  /** In lower case. */
  readonly tag: string;
  /** Those of its attributes that matter here; names in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlNode[];
  /** Whether something in it begins a line of its own. */
  holdsBlock: boolean;
}

/** A parsed page. */
export interface HtmlTree {
  readonly root: HtmlElement;
  readonly title: string;
  /** What it says of itself for search engines; empty when it says nothing. */
  readonly description: string;
  /** What its relative addresses are meant from, where it says so. */
  readonly base?: string;
  /** Where it sends its reader by itself. */
  readonly refresh?: string;
  /** Whether there is more of it: it is too large, or nested too deep. */
  readonly cut: boolean;
}

/** As deep as browsers nest, which hold the rest flat. */
const MAX_DEPTH = 512;
const MAX_NODES = 400_000;
/** Characters of a title or a description. */
const MAX_TITLE_LENGTH = 300;

/** Characters of a style that are looked at. */
const MAX_STYLE_LENGTH = 2_000;

/** What is not for reading. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["script", "style", "template", "svg", "canvas", "object", "embed", "applet", "noembed"],
  ...["noframes", "audio", "video", "map", "select", "datalist", "textarea", "title", "rp"],
]);
/** What begins a line of its own. */
export const BLOCKS: ReadonlySet<string> = new Set([
  ...["address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"],
  ...["div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"],
  ...["h4", "h5", "h6", "header", "hgroup", "hr", "html", "li", "main", "menu", "nav", "ol", "p"],
  ...["pre", "search", "section", "summary", "table", "ul"],
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...["alt", "aria-label", "checked", "class", "colspan", "data-src", "encoding", "href", "id"],
  ...["role", "src", "start", "title", "type"],
]);
const HIDING_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;

type Attributes = Readonly<Record<string, string>>;

class TooDeep extends Error {}

/** Parses a page or a piece of one. Any text is taken. */
export function readTree(html: string): HtmlTree {
  const builder = new TreeBuilder();
  const parser = new Parser({
    onopentag: (tag, attributes) => builder.open(tag, attributes),
    ontext: (text) => builder.text(text),
    onclosetag: (tag) => builder.close(tag),
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return builder.tree();
}

/** Whether a page does not show an element of its own accord. */
function isHidden(tag: string, attributes: Attributes): boolean {
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  if (tag === "dialog" && attributes["open"] === undefined) return true;
  if (tag === "input" && attributes["type"] !== "checkbox") return true;
  return HIDING_STYLE.test((attributes["style"] ?? "").slice(0, MAX_STYLE_LENGTH));
}

class TreeBuilder {
  readonly #root: HtmlElement = element("html", {});
  readonly #open: HtmlElement[] = [this.#root];
  /** Open elements below the one that is left out, itself among them; 0 outside of such. */
  #skipped = 0;
  /** Open elements, left out or not. */
  #depth = 0;
  #nodes = 0;
  #cut = false;
  #inTitle = false;
  #title: string | undefined;
  #description = "";
  #base: string | undefined;
  #refresh: string | undefined;

  open(tag: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) {
      this.#cut = true;
      throw new TooDeep();
    }
    this.#note(tag, attributes);
    if (this.#skipped > 0) this.#skipped++;
    else if (LEFT_OUT.has(tag) || isHidden(tag, attributes) || this.#isFull()) this.#skipped = 1;
    else this.#add(element(tag, attributes));
  }

  text(text: string): void {
    if (this.#inTitle) this.#title = `${this.#title ?? ""}${text}`.slice(0, MAX_TITLE_LENGTH);
    if (this.#skipped > 0) return;
    const { children } = this.#top();
    const last = children.at(-1);
    // Entities come as pieces of their own.
    if (typeof last === "string") children[children.length - 1] = last + text;
    else if (!this.#isFull()) children.push(text);
  }

  close(tag: string): void {
    this.#depth--;
    if (tag === "title") this.#inTitle = false;
    if (this.#skipped > 0) this.#skipped--;
    else if (this.#open.length > 1) this.#open.pop();
  }

  tree(): HtmlTree {
    return {
      root: this.#root,
      title: inOneLine(this.#title ?? ""),
      description: inOneLine(this.#description),
      ...(this.#base === undefined ? {} : { base: this.#base }),
      ...(this.#refresh === undefined ? {} : { refresh: this.#refresh }),
      cut: this.#cut,
    };
  }

  #top(): HtmlElement {
    return this.#open.at(-1) ?? this.#root;
  }

  #isFull(): boolean {
    if (++this.#nodes <= MAX_NODES) return false;
    this.#cut = true;
    return true;
  }

  #add(made: HtmlElement): void {
    if (BLOCKS.has(made.tag)) {
      for (let at = this.#open.length - 1; at >= 0; at--) {
        const above = this.#open[at];
        if (above === undefined || above.holdsBlock) break;
        above.holdsBlock = true;
      }
    }
    this.#top().children.push(made);
    this.#open.push(made);
  }

  /** What a page says of itself, wherever it stands. */
  #note(tag: string, attributes: Attributes): void {
    if (tag === "title" && this.#title === undefined && this.#skipped === 0) this.#inTitle = true;
    if (tag === "base") this.#base ??= attributes["href"];
    if (tag !== "meta") return;
    const { content = "", name = "", property = "", "http-equiv": equivalent = "" } = attributes;
    if (name.toLowerCase() === "description" || (property === "og:description")) {
      this.#description ||= content.slice(0, MAX_TITLE_LENGTH).toWellFormed();
    }
    if (equivalent.toLowerCase() === "refresh") {
      this.#refresh ??= /^\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec(content)?.[1];
    }
  }
}

function element(tag: string, attributes: Attributes): HtmlElement {
  const kept = Object.entries(attributes).filter(([name]) => ATTRIBUTES.has(name));
  return { tag, attributes: new Map(kept), children: [], holdsBlock: false };
}

/** A text with one space for any stretch of spaces and line ends. */
export function inOneLine(text: string): string {
  return text.replace(/[\s\u00a0]+/gu, " ").trim().toWellFormed();
}
