/** What charges for HTTP and does nothing else: `sion x402 serve` as a program, for containers. */
import { runGatewayMain } from "#internal/cli/mod.ts";

void runGatewayMain(import.meta.url);
