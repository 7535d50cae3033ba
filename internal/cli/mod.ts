/** The command line: the tree of commands, help, errors, completion. */
export { runMain } from "./main.ts";
export type { Program } from "./context.ts";
