/** Named pipes: what a program writes to one is read here as this process reads its children's. */
import { closeSync, constants, openSync } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";
import { codeOf } from "./error_code.ts";
import { isDeno } from "./platform.ts";

/** Whether this runtime can; Deno would block a thread on each. */
export const readsNamedPipes: boolean = !isDeno;

/** Opens one to be read; nobody needs to have it open for writing yet. */
export function openNamedPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { Socket } = process.getBuiltinModule("node:net");
  return new Socket({ fd, readable: true, writable: false });
}

/** Lets its reader see the end, when nobody writes to it any more, or nobody ever did. */
export function endNamedPipe(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch (error) {
    // Nobody reads it any more, or it is gone with its folder.
    if (codeOf(error) !== "ENXIO" && codeOf(error) !== "ENOENT") throw error;
  }
}
