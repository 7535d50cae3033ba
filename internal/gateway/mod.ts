/**
 * What stands between HTTP and the ledger: the x402 gateway, which charges, its facilitator, and the
 * node's gateway, which lets many clients read.
 */
export { clientKey } from "./client_key.ts";
export type { Facilitator } from "./facilitator.ts";
export { createFacilitator } from "./facilitator.ts";
export type { NodeGateway, NodeGatewayOptions } from "./node_gateway.ts";
export { startNodeGateway } from "./node_gateway.ts";
export { openFacilitator } from "./open_facilitator.ts";
export type { RateLimiter } from "./rate_limit.ts";
export { createRateLimiter } from "./rate_limit.ts";
export type { X402Server, X402ServerOptions } from "./serve.ts";
export { startX402Server } from "./serve.ts";
