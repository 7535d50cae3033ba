/** Where the programs are that sandboxes are made with. */
import { accessSync, constants } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "#internal/runtime/mod.ts";

/** Looked through first: nobody but the system's administrator writes there. */
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/**
 * The file of a program, in the system's folders or in absolute ones of `PATH`.
 * @param apart a folder whose programs are not taken: who writes there is not to say what contains him
 */
export function findProgram(name: string, env: Environment, apart?: string): string | undefined {
  const given = (env["PATH"] ?? "").split(":").filter((folder) =>
    isAbsolute(folder) && (apart === undefined || !`${folder}/`.startsWith(`${apart}/`))
  );
  return [...SYSTEM_FOLDERS, ...given].map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
