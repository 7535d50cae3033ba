/** Prints what signatures cost in the runtime that runs it, as one line of JSON. */
import { signatureCosts } from "./_limit.ts";

console.log(JSON.stringify(await signatureCosts()));
