/** Prints what a payment costs among many and few accounts in the runtime that runs it, as JSON. */
import process from "node:process";
import type { AccountsSizes } from "./_accounts.ts";
import { accountsCost } from "./_accounts.ts";

const [sizes = "{}"] = process.argv.slice(2);
console.log(JSON.stringify(accountsCost(JSON.parse(sizes) as AccountsSizes)));
