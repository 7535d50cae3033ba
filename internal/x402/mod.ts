/** x402, payment for HTTP: the wire's shapes, what binds a payment to what it pays for, the checks. */
export * from "./binding.ts";
export * from "./checks.ts";
export * from "./headers.ts";
export * from "./offer.ts";
export * from "./reasons.ts";
export * from "./wire.ts";
