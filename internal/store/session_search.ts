/** Searching what was said in sessions: every word of the text, anywhere, whatever its case. */
import type { DatabaseSync } from "node:sqlite";

/** A session in which the words were found. */
export interface FoundWords {
  readonly session: string;
  /** Place of the newest event with all the words. */
  readonly seq: number;
  /** The text around the first of the words, one line. */
  readonly excerpt: string;
}

/** More words than this in a query are passed over. */
const MOST_WORDS = 16;
/** The index knows texts of three characters and longer; shorter ones are compared one by one. */
const SHORT = /^.{1,2}$/su;
/** Characters shown before and after the first word found. */
const AROUND = 60;

/** The sessions with an event that has all words of a text, those where it is newest first. */
export function searchWords(database: DatabaseSync, text: string, limit: number): FoundWords[] {
  const words = text.split(/\s+/u).filter((word) => word !== "").slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const indexed = words.filter((word) => !SHORT.test(word));
  const short = words.filter((word) => SHORT.test(word));
  const conditions = [
    ...(indexed.length === 0 ? [] : ["words MATCH ?"]),
    ...short.map(() => "text LIKE ? ESCAPE '\\'"),
  ];
  const values = [
    ...(indexed.length === 0 ? [] : [indexed.map(quoted).join(" ")]),
    ...short.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`),
  ];
  const found = database.prepare(
    `SELECT session, max(rowid) AS newest FROM words WHERE ${conditions.join(" AND ")} ` +
      "GROUP BY session ORDER BY newest DESC LIMIT ?",
  ).all(...values, limit);
  const one = database.prepare("SELECT seq, text FROM words WHERE rowid = ?");
  return found.map(({ session, newest }) => {
    const row = one.get(newest ?? null);
    return {
      session: String(session),
      seq: Number(row?.["seq"]),
      excerpt: excerptOf(String(row?.["text"]), words),
    };
  });
}

/** A word as the index's query language takes it literally. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  // Lower case can be longer than the text, in which case the excerpt lies a little beside.
  const at = Math.min(places.length === 0 ? 0 : Math.min(...places), text.length);
  const [from, to] = [Math.max(0, at - AROUND), Math.min(text.length, at + 2 * AROUND)];
  const part = text.slice(from, to).toWellFormed().replaceAll(/\s+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${part}${to < text.length ? "…" : ""}`;
}
