/**
 * Feeds as lists of what they announce: RSS 0.9x to 2.0 and Atom (RFC 4287). No document type is read, so
 * no entity of a feed's own is ever expanded.
 */
import { Parser } from "htmlparser2";

/** Entries of one feed that are read. */
const MAX_ENTRIES = 300;
/** What is nested deeper is no feed's, and ends it. */
const MAX_DEPTH = 100;
/** Characters of one text of an entry that are read. */
const MAX_TEXT_LENGTH = 20_000;

/** One entry. Title and summary may be HTML. */
export interface FeedEntry {
  readonly title: string;
  /** As it stands there. */
  readonly link: string;
  readonly date: string;
  readonly summary: string;
}

/** A feed. */
export interface Feed {
  readonly title: string;
  readonly entries: readonly FeedEntry[];
}

type Field = keyof FeedEntry;

const ROOTS: ReadonlySet<string> = new Set(["rss", "feed", "rdf:rdf"]);
const ENTRIES: ReadonlySet<string> = new Set(["item", "entry"]);
/** What is read of an entry; of two that say the same the first counts. */
const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["title", "title"],
  ["link", "link"],
  ["pubdate", "date"],
  ["published", "date"],
  ["updated", "date"],
  ["dc:date", "date"],
  ["description", "summary"],
  ["summary", "summary"],
  ["content", "summary"],
  ["content:encoded", "summary"],
]);

/** Reads a feed; nothing when a text is none. */
export function readFeed(xml: string): Feed | undefined {
  if (!/<(?:rss|feed|rdf:rdf)[\s/>]/i.test(xml.slice(0, MAX_TEXT_LENGTH))) return undefined;
  const reader = new FeedReader();
  const parser = new Parser({
    onopentag: (tag, attributes) => reader.open(tag, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: (tag) => reader.close(tag),
  }, { xmlMode: true, lowerCaseTags: true });
  // In pieces, since nothing of it is read once there are entries enough or it is no feed.
  for (let at = 0; at < xml.length && !reader.ended; at += MAX_TEXT_LENGTH) {
    parser.write(xml.slice(at, at + MAX_TEXT_LENGTH));
  }
  return reader.feed();
}

class FeedReader {
  readonly #entries: FeedEntry[] = [];
  #title = "";
  #isFeed = false;
  #depth = 0;
  /** The entry that is open, and how deep its own parts are. */
  #entry: Record<Field, string> | undefined;
  #partDepth = 0;
  #field: Field | undefined;
  #fieldText = "";
  /** Whether nothing more is read. */
  ended = false;

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++;
    if (this.#depth === 1) this.#isFeed = ROOTS.has(tag);
    this.ended ||= !this.#isFeed || this.#depth > MAX_DEPTH;
    if (this.ended) return;
    if (this.#entry === undefined && ENTRIES.has(tag)) {
      this.#entry = { title: "", link: "", date: "", summary: "" };
      this.#partDepth = this.#depth + 1;
      return;
    }
    if (this.#entry === undefined) {
      // The feed's own title is a part of the root, or of its channel.
      if (tag === "title" && this.#title === "" && this.#depth <= 3) this.#begin("title");
    } else if (this.#depth === this.#partDepth) {
      const field = FIELDS.get(tag);
      const href = attributes["href"];
      if (field === "link" && href !== undefined) {
        if ((attributes["rel"] ?? "alternate") === "alternate") this.#entry.link ||= href;
      } else if (field !== undefined && this.#entry[field] === "") this.#begin(field);
    }
  }

  text(text: string): void {
    if (this.#field === undefined || this.#fieldText.length > MAX_TEXT_LENGTH) return;
    this.#fieldText += text;
  }

  close(tag: string): void {
    this.#depth--;
    if (this.ended) return;
    const isEntry = this.#entry !== undefined && this.#depth === this.#partDepth - 2;
    if (this.#field !== undefined && (this.#entry === undefined || this.#depth < this.#partDepth)) {
      const text = this.#fieldText.slice(0, MAX_TEXT_LENGTH).trim();
      if (this.#entry === undefined) this.#title = text;
      else this.#entry[this.#field] = text;
      this.#field = undefined;
    }
    if (!isEntry || !ENTRIES.has(tag) || this.#entry === undefined) return;
    this.#entries.push(this.#entry);
    this.#entry = undefined;
    this.ended = this.#entries.length === MAX_ENTRIES;
  }

  feed(): Feed | undefined {
    return this.#isFeed ? { title: this.#title, entries: this.#entries } : undefined;
  }

  #begin(field: Field): void {
    this.#field = field;
    this.#fieldText = "";
  }
}
