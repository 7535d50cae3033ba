/** Finding files of a folder by globs, and searching them by expressions in linear time. */
import { workerTask } from "#internal/runtime/mod.ts";

export { type GlobState, isMatch, type PathGlob, readPathGlob, step } from "./path_glob.ts";
export { type FolderSearch, searchFolder, SearchInputError } from "./search_folder.ts";
export type { FoundFile, FoundLine, Searched } from "./search_tree.ts";
export { type SchemaPattern, schemaPatterns } from "./schema_pattern.ts";
export { treeFiles } from "./tree_files.ts";

/**
 * Searches, if this thread was started for it. For programs that are one file; asked first thing.
 * @returns whether it was
 */
export async function runSearchWorker(): Promise<boolean> {
  const port = await workerTask();
  const { isSearchTask } = await import("./search_folder.ts");
  return await isSearchTask(port);
}
