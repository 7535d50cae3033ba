/**
 * The part of a page that it is about, without menus, sidebars and the like: by the elements and roles
 * that say so, where they hold enough of the page to be believed.
 */
import type { HtmlElement, HtmlNode } from "./tree.ts";

/** What stands around the main part. */
const AROUND_TAGS: ReadonlySet<string> = new Set(["nav", "header", "footer", "aside", "search"]);
const AROUND_ROLES: ReadonlySet<string> = new Set([
  ...["banner", "complementary", "contentinfo", "menu", "menubar", "navigation", "search"],
]);
/** What is left out within the main part too: contents, breadcrumbs, a search's form. */
const WITHIN_TAGS: ReadonlySet<string> = new Set(["nav", "search"]);
const WITHIN_ROLES: ReadonlySet<string> = new Set(["menu", "menubar", "navigation", "search"]);
/** The least share of what a page says that its main part has; one with less is something else. */
const LEAST_SHARE = 0.25;

/** A page's main part. */
export interface MainPart {
  readonly root: HtmlElement;
  /** Whether something was left out. */
  readonly partial: boolean;
}

/** Finds it. A page that is menus alone is all of it. */
export function mainPart(page: HtmlElement): MainPart {
  const lengths = new Lengths();
  const enough = LEAST_SHARE * lengths.of(page);
  const isAround = outOf(AROUND_TAGS, AROUND_ROLES);
  const body = pruned(page, (one) => isAround(one) && !holdsHeading(one));
  const marked = markedPart(page, lengths);
  const within = marked && pruned(marked, outOf(WITHIN_TAGS, WITHIN_ROLES));
  if (within !== undefined && lengths.of(within) >= LEAST_SHARE * lengths.of(body)) {
    return { root: within, partial: true };
  }
  if (lengths.of(body) >= enough) return { root: body, partial: body !== page };
  return { root: page, partial: false };
}

/** The element that is marked as the main part, or the one article of a page. */
function markedPart(page: HtmlElement, lengths: Lengths): HtmlElement | undefined {
  const mains = outermost(page, (one) => one.tag === "main" || roleOf(one) === "main");
  const articles = (): readonly HtmlElement[] =>
    outermost(page, (one) => one.tag === "article" || roleOf(one) === "article");
  const found = mains.length > 0 ? mains : articles();
  const all = found.reduce((sum, one) => sum + lengths.of(one), 0);
  // Of several articles alike, the page is the list of them.
  return found.find((one) => lengths.of(one) > all / 2);
}

function outermost(
  from: HtmlElement,
  matches: (one: HtmlElement) => boolean,
): readonly HtmlElement[] {
  const found: HtmlElement[] = [];
  const look = (one: HtmlElement): void => {
    if (matches(one)) found.push(one);
    else for (const child of one.children) if (typeof child !== "string") look(child);
  };
  look(from);
  return found;
}

function roleOf({ attributes }: HtmlElement): string {
  return attributes.get("role")?.toLowerCase() ?? "";
}

function outOf(
  tags: ReadonlySet<string>,
  roles: ReadonlySet<string>,
): (one: HtmlElement) => boolean {
  return (one) => tags.has(one.tag) || roles.has(roleOf(one));
}

/** A page's own heading may stand in its header. */
function holdsHeading(one: HtmlElement): boolean {
  return one.tag === "header" && outermost(one, ({ tag }) => tag === "h1").length > 0;
}

/** An element without those of its parts; itself when it has none of them. */
function pruned(from: HtmlElement, isOut: (one: HtmlElement) => boolean): HtmlElement {
  let changed = false;
  const children: HtmlNode[] = [];
  for (const child of from.children) {
    if (typeof child === "string") children.push(child);
    else if (isOut(child)) changed = true;
    else {
      const kept = pruned(child, isOut);
      if (kept !== child) changed = true;
      children.push(kept);
    }
  }
  return changed ? { ...from, children } : from;
}

/** How much each element says, in characters that are no spaces; each is counted once. */
class Lengths {
  readonly #known = new WeakMap<HtmlElement, number>();

  of(one: HtmlElement): number {
    const known = this.#known.get(one);
    if (known !== undefined) return known;
    let length = 0;
    for (const child of one.children) {
      length += typeof child === "string" ? saidIn(child) : this.of(child);
    }
    this.#known.set(one, length);
    return length;
  }
}

function saidIn(text: string): number {
  let said = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 32) said++;
  return said;
}
