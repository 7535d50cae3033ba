/** How many validators a devnet has, told before anything else of its folder is read. */
import { join } from "node:path";
import { MAX_COMMITTEE } from "#internal/ledger/mod.ts";
import { readFileIfThere } from "#internal/runtime/mod.ts";

/** What a chain begins from, in the folder of a devnet. */
export const GENESIS_FILE = "genesis.json";
/** Validators of a fresh devnet, unless said otherwise. */
export const DEFAULT_VALIDATORS = 4;

/**
 * How many validators the folder has or, if it is to be made, will have: told before it is read
 * whole, so that their threads can start meanwhile. A guess where `openDevnetFolder` will refuse.
 */
export async function countValidators(path: string, asked: number | undefined): Promise<number> {
  const fresh = Math.min(Math.max(asked ?? DEFAULT_VALIDATORS, 1), MAX_COMMITTEE);
  const bytes = await readFileIfThere(join(path, GENESIS_FILE));
  if (bytes === undefined) return fresh;
  const listed = new TextDecoder().decode(bytes).match(/"public_key"/g);
  return Math.min(listed?.length ?? fresh, MAX_COMMITTEE);
}
