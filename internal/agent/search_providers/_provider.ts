/** What a provider of web searches is. One file a provider; `mod.ts` lists them. */

/** How far back a search looks. */
export const SEARCH_TIMES = ["day", "week", "month", "year"] as const;

/** One of them. */
export type SearchTime = (typeof SEARCH_TIMES)[number];

/** What is searched for. */
export interface SearchQuery {
  readonly query: string;
  /** Results at most, 1 to 10. */
  readonly count: number;
  readonly time?: SearchTime;
}

/** A request to a provider. */
export interface SearchRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of a POST. */
  readonly body?: string;
}

/** One result, as its provider has it. Texts may be HTML. */
export interface RawResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What a provider answered. */
export interface SearchAnswer {
  readonly results: readonly RawResult[];
  /** Why it may not be all there is, in words of this program's. */
  readonly note?: string;
}

/** A provider. */
export interface SearchProvider {
  /** As `SION_SEARCH` names it. */
  readonly name: string;
  /** The variable or kept credential with its key; missing of one that is named by its address. */
  readonly key?: string;
  /** A request for a search. @param access the key, or the address of the operator's own instance */
  request(query: SearchQuery, access: string): SearchRequest;
  /** Reads the body of an answer with status 200. @throws {Error} when it is not what was documented */
  read(body: string): SearchAnswer;
  /** What is wrong and what to do about it, of a status that it is known by. */
  refusal(status: number): string | undefined;
}

/** Declares one. */
export function defineSearchProvider<const Provider extends SearchProvider>(
  provider: Provider,
): Provider {
  return provider;
}
