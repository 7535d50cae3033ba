/** What stands between HTTP and the ledger: the x402 gateway, which charges, and its facilitator. */
export type { Facilitator } from "./facilitator.ts";
export { createFacilitator } from "./facilitator.ts";
export type { X402Server, X402ServerOptions } from "./serve.ts";
export { startX402Server } from "./serve.ts";
