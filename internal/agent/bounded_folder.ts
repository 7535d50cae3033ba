/** A folder of files that may have so many bytes together. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeFile } from "#internal/runtime/mod.ts";

/** Takes the oldest files of a folder away until the rest fits. @param newest the name of one that stays */
export async function pruneFolder(
  folder: string,
  newest: string,
  mostBytes: number,
): Promise<void> {
  const kept = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const { size, mtimeMs } = await lstat(join(folder, name));
      return { name, size, mtimeMs };
    }),
  );
  let total = kept.reduce((sum, { size }) => sum + size, 0);
  for (const { name, size } of kept.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (total <= mostBytes) return;
    if (name === newest) continue;
    await removeFile(join(folder, name));
    total -= size;
  }
}
