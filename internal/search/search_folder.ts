/**
 * Searching a folder: at first right here, and where it is large, the rest of it by threads that share
 * its files.
 */
import { availableParallelism } from "node:os";
import { spawnWorker } from "#internal/runtime/mod.ts";
import type { WorkerHandle, WorkerPort } from "#internal/runtime/mod.ts";
import { readLinePattern } from "./line_pattern.ts";
import { readPathGlob } from "./path_glob.ts";
import { inOrder, searchTree } from "./search_tree.ts";
import type { Search, Searched } from "./search_tree.ts";

/** A search as it is asked for. */
export interface FolderSearch extends Pick<Search, "root" | "most" | "around" | "signal"> {
  /** Which files. */
  readonly glob: string;
  /** The regular expression, RE2. */
  readonly pattern: string;
  /**
   * URL of the program file that calls `runSearchWorker` first thing, for programs that are one file.
   * @default the source file of the threads, when this is source
   */
  readonly workerEntry?: string;
  /** Files that are searched before threads are started. @default 3000 */
  readonly aloneFiles?: number;
}

/** What a thread is handed; plain data. */
type ThreadSearch = Omit<FolderSearch, "signal" | "workerEntry" | "aloneFiles"> & {
  readonly after: string;
  readonly share: { readonly part: number; readonly of: number };
};

/** Name of the task that threads are started for. */
const SEARCH_TASK = "search";
/** Starting a thread takes as long as searching some thousand files. */
const ALONE_FILES = 3_000;
const MOST_THREADS = 8;

/** A glob or an expression that cannot be read. */
export class SearchInputError extends SyntaxError {
  readonly input: "glob" | "pattern";
  constructor(input: "glob" | "pattern", { message }: SyntaxError) {
    super(message);
    this.input = input;
  }
}

/**
 * Searches what files hold, line by line.
 * @throws {SearchInputError}
 * @throws {Error} the signal's reason, when it is aborted
 */
export async function searchFolder(asked: FolderSearch): Promise<Searched> {
  const search = await readSearch(asked);
  const entry = asked.workerEntry ?? sourceEntry();
  const threads = entry === undefined ? 1 : Math.min(MOST_THREADS, availableParallelism());
  if (entry === undefined || threads === 1) return await searchTree(search);
  const first = await searchTree({ ...search, mostFiles: asked.aloneFiles ?? ALONE_FILES });
  const { last } = first;
  if (last === undefined) return first;
  const { root, glob, pattern, around, signal } = asked;
  const most = asked.most - first.files.reduce((sum, { matches }) => sum + matches, 0);
  const tasks = Array.from({ length: threads }, (_, part): ThreadSearch => {
    return { root, glob, pattern, around, most, after: last, share: { part, of: threads } };
  });
  const rest = await Promise.all(tasks.map((task) => inThread(entry, task, signal)));
  signal.throwIfAborted();
  return merged(first, rest, most);
}

async function readSearch(
  { glob, pattern, ...rest }: Pick<
    FolderSearch,
    "glob" | "pattern" | "root" | "most" | "around" | "signal"
  >,
): Promise<Search> {
  const { root, most, around, signal } = rest;
  const failed = (input: "glob" | "pattern") => (error: unknown): never => {
    throw error instanceof SyntaxError ? new SearchInputError(input, error) : error;
  };
  const reading = Promise.resolve(glob).then(readPathGlob).catch(failed("glob"));
  const read = await reading;
  const expression = await readLinePattern(pattern).catch(failed("pattern"));
  return { root, most, around, signal, glob: read, pattern: expression };
}

function sourceEntry(): string | undefined {
  const { href } = new URL("./search_worker.ts", import.meta.url);
  return import.meta.url.endsWith(".ts") ? href : undefined;
}

async function inThread(
  entry: string,
  task: ThreadSearch,
  signal: AbortSignal,
): Promise<Searched> {
  await using worker: WorkerHandle = spawnWorker(entry, { task: SEARCH_TASK, data: task });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const found = new Promise<Searched>((resolve) => {
      worker.onMessage((message) => resolve(message as Searched));
    });
    const nothing = { files: [], cut: true, looked: 0, large: 0, unread: 0 };
    return await Promise.race([found, worker.ended.then(() => nothing)]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** One answer of several, as if one had searched; of the later ones no more matches than wanted. */
function merged(first: Searched, rest: readonly Searched[], most: number): Searched {
  const found = rest.flatMap(({ files }) => files).sort((a, b) => inOrder(a.name, b.name));
  let left = most;
  const files = found.filter(({ matches }) => {
    const wanted = left > 0;
    left -= matches;
    return wanted;
  });
  const sum = (key: "looked" | "large" | "unread") =>
    rest.reduce((total, each) => total + each[key], first[key]);
  return {
    files: [...first.files, ...files],
    cut: left <= 0 || rest.some(({ cut }) => cut),
    looked: sum("looked"),
    large: sum("large"),
    // Every thread comes to every folder.
    unread: first.unread + Math.max(...rest.map(({ unread }) => unread)),
  };
}

/** A thread's work. */
export async function runSearchTask(port: WorkerPort): Promise<void> {
  const { after, share, ...asked } = port.data as ThreadSearch;
  const search = await readSearch({ ...asked, signal: new AbortController().signal });
  port.post(await searchTree({ ...search, after, share }));
}

/** Searches if this thread was started for it; false when it was not. */
export async function isSearchTask(port: WorkerPort | undefined): Promise<boolean> {
  if (port?.task !== SEARCH_TASK) return false;
  await runSearchTask(port);
  return true;
}
