/** A program that begins with one arena, and then says how it was started. */
import process from "node:process";
import { beginWithOneArena } from "#internal/runtime/mod.ts";

beginWithOneArena();
console.log(JSON.stringify({
  pid: process.pid,
  words: process.argv.slice(2),
  options: process.execArgv.filter((option) => option.startsWith("--stack-size")),
  arenas: process.env["MALLOC_ARENA_MAX"] ?? null,
  home: process.env["SION_HOME"] ?? null,
}));
