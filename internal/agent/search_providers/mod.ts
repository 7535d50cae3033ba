/**
 * Searching the web: the providers, in the order in which one is taken of which a key is kept, and how
 * one is asked. A new one is a file and a line here.
 */
import { SionError, utf8, VERSION } from "#internal/core/mod.ts";
import { sleep, webRequest } from "#internal/runtime/mod.ts";
import type { WebRequest, WebResponse } from "#internal/runtime/mod.ts";
import { AgentError } from "../errors.ts";
import { wordsOf } from "../web/page.ts";
import type { SearchProvider, SearchQuery } from "./_provider.ts";
import { brave } from "./brave.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

export type { SearchProvider, SearchQuery } from "./_provider.ts";
export { SEARCH_TIMES } from "./_provider.ts";

/** Every provider; of those with a key, the first is taken. */
export const searchProviders: readonly SearchProvider[] = [brave, tavily, searxng];

/** The setting that chooses. */
export const SEARCH_SETTING = "SION_SEARCH";
/** Until an answer is there, ms. */
const TIME_MS = 20_000;
const MAX_BYTES = 4_000_000;
/** The longest wait that a provider may ask for before a second try, ms. */
const MOST_PAUSE_MS = 5_000;
const PAUSE_MS = 1_100;
const MAX_TITLE_LENGTH = 200;
const MAX_ADDRESS_LENGTH = 2_048;
const MAX_SNIPPET_LENGTH = 600;

/** One result, in plain words. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What a search gave. */
export interface SearchFound {
  readonly results: readonly SearchResult[];
  /** Why it may not be all there is. */
  readonly note?: string;
}

/** Searches the web. */
export interface Search {
  readonly provider: string;
  /** @throws {AgentError} `search` in one sentence; the signal's reason */
  find(query: SearchQuery, signal: AbortSignal): Promise<SearchFound>;
}

/** A provider, and what it is reached with. */
export interface ChosenProvider {
  readonly provider: SearchProvider;
  /** The key, or the address of the operator's own instance. */
  readonly access: string;
}

/** What asks, for tests. */
export interface SearchParts {
  /** @default really asks */
  readonly ask?: (request: WebRequest) => Promise<WebResponse>;
  /** @default really waits */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The provider that `SION_SEARCH` names, else the first one that has a key; nothing when there is none.
 * @throws {AgentError} `option` when the setting names none or its key is missing
 */
export async function chooseProvider(
  { setting: given, find }: {
    /** The setting's value. */
    readonly setting: string | undefined;
    /** Finds a key. */
    readonly find: (name: string) => Promise<string | undefined>;
  },
): Promise<ChosenProvider | undefined> {
  const setting = given?.trim() ?? "";
  const [name = "", ...rest] = setting.split(":");
  for (const provider of searchProviders) {
    if (setting !== "" && provider.name !== name.toLowerCase()) continue;
    const { key } = provider;
    if (key === undefined) {
      if (setting !== "") return { provider, access: instanceOf(setting, rest.join(":")) };
      continue;
    }
    if (rest.length > 0) throw wrongSetting(setting);
    const access = (await find(key))?.trim() ?? "";
    if (access !== "") return { provider, access: headerValue(key, access) };
    if (setting !== "") {
      throw new AgentError(
        "option",
        `${SEARCH_SETTING} is ${setting}, which needs ${key}: keep it with ` +
          `\`sion agent credential add ${key}\``,
      );
    }
  }
  if (setting !== "") throw wrongSetting(setting);
  return undefined;
}

/** Makes what searches. Searches wait for each other: cheap plans allow one a second. */
export function createSearch(
  { provider, access }: ChosenProvider,
  { ask = webRequest, pause = sleep }: SearchParts = {},
): Search {
  let last: Promise<unknown> = Promise.resolve();
  const askOnce = async (query: SearchQuery, signal: AbortSignal): Promise<WebResponse> => {
    const { url, method, headers, body } = provider.request(query, access);
    return await ask({
      url,
      method,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": `sion/${VERSION}`,
        ...headers,
      },
      ...(body === undefined ? {} : { body: utf8(body) }),
      // The operator's own instance is wherever they say it is.
      reach: provider.key === undefined
        ? { loopback: true, private: true }
        : { loopback: false, private: false },
      timeoutMs: TIME_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
  };
  const find = async (query: SearchQuery, signal: AbortSignal): Promise<SearchFound> => {
    signal.throwIfAborted();
    let response = await askOnce(query, signal);
    if (response.status === 429) {
      const askedMs = Number(response.headers["retry-after"] ?? NaN) * 1_000;
      await pause(Math.min(MOST_PAUSE_MS, askedMs > 0 ? askedMs : PAUSE_MS), signal);
      response = await askOnce(query, signal);
    }
    return foundIn(provider, response, query.count);
  };
  return {
    provider: provider.name,
    async find(query, signal) {
      const mine = last.then(() => find(query, signal));
      last = mine.catch(() => {});
      try {
        return await mine;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AgentError || !(error instanceof SionError)) throw error;
        throw failed(provider, error.message, error);
      }
    },
  };
}

function foundIn(
  provider: SearchProvider,
  { status, body }: WebResponse,
  count: number,
): SearchFound {
  if (status !== 200) throw failed(provider, refusalOf(provider, status));
  let answer: ReturnType<SearchProvider["read"]>;
  try {
    answer = provider.read(new TextDecoder().decode(body));
  } catch (cause) {
    throw failed(provider, "its answer is not what it should be: try again later", cause);
  }
  const results = new Map<string, SearchResult>();
  for (const { title, url, snippet } of answer.results) {
    const address = addressOf(url);
    if (address === undefined || results.has(address) || results.size === count) continue;
    const shown = cut(wordsOf(title), MAX_TITLE_LENGTH);
    results.set(address, {
      title: shown === "" ? address : shown,
      url: address,
      snippet: cut(wordsOf(snippet), MAX_SNIPPET_LENGTH),
    });
  }
  return {
    results: [...results.values()],
    ...(answer.note === undefined ? {} : { note: answer.note }),
  };
}

function refusalOf(provider: SearchProvider, status: number): string {
  if (status === 429) return "it takes no more searches now: wait a minute";
  const known = provider.refusal(status);
  if (known === undefined) return `it answers ${status}: try again later`;
  return known.includes(":") ? known : `${known}: tell the person who runs you`;
}

function addressOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href.length > MAX_ADDRESS_LENGTH ? undefined : url.href;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

function instanceOf(setting: string, address: string): string {
  const url = URL.parse(address);
  if (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  ) {
    return url.href;
  }
  throw wrongSetting(setting);
}

/** A key goes into a header, where a line end would begin another one. */
function headerValue(name: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new AgentError("option", `${name} holds what no key has: give it anew, without spaces`);
}

function wrongSetting(setting: string): AgentError {
  const shown = setting.length > 80 ? `${setting.slice(0, 80)}…` : setting;
  return new AgentError(
    "option",
    `${SEARCH_SETTING} ${
      shown.replace(/\/\/[^/@]*@/, "//…@")
    } is no search provider: give brave, tavily or ` +
      "searxng:https://search.example.org",
  );
}

function failed({ name }: SearchProvider, why: string, cause?: unknown): AgentError {
  const message = `the search by ${name} failed, ${why}`;
  return new AgentError("search", message, cause === undefined ? {} : { cause });
}
