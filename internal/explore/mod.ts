/** The pages that show a chain to people: a light client with a browser's eyes. Nothing signs here. */
export type { Explorer, ExplorerOptions } from "./server.ts";
export { startExplorer } from "./server.ts";
