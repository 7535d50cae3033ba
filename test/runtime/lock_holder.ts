/** Holds the folder of its first argument until it is killed. */
import process from "node:process";
import { lockFolder } from "#internal/runtime/mod.ts";

const lock = await lockFolder(process.argv[2] as string);
console.log(`holds ${lock.path}`);
setInterval(() => {}, 60_000);
