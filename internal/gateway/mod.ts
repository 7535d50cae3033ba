/**
 * What stands between HTTP and the ledger: the x402 gateway, which charges, its facilitator, and the
 * node's gateway, which lets many clients read.
 */
export type { Facilitator } from "./facilitator.ts";
export { createFacilitator } from "./facilitator.ts";
export type { NodeGateway, NodeGatewayOptions } from "./node_gateway.ts";
export { startNodeGateway } from "./node_gateway.ts";
export { openFacilitator } from "./open_facilitator.ts";
export type { X402Server, X402ServerOptions } from "./serve.ts";
export { startX402Server } from "./serve.ts";
