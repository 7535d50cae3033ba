/**
 * The program `sion-gateway`: `sion x402 serve` alone, whose options can be variables too, as containers
 * set them.
 */
import type { AnyCommand, Flag, Flags } from "./command.ts";
import { flagName } from "./command.ts";
import { loadCommand } from "./commands/mod.ts";

const NAME = "sion-gateway";

/** `payTo` → `SION_GATEWAY_PAY_TO`. */
function variableOf(option: string): string {
  return `SION_GATEWAY_${flagName(option).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** What the program does, as a command of its own. */
export async function gatewayProgram(): Promise<AnyCommand & { readonly program: string }> {
  const serve = await loadCommand("x402 serve");
  const flags = Object.entries(serve.flags as Flags).map((
    [name, flag],
  ): [string, Flag<unknown>] => [
    name,
    { ...flag, variable: variableOf(name) },
  ]);
  return {
    ...serve,
    program: NAME,
    brief:
      "Charge for HTTP, as `sion x402 serve` does: every request is answered with an offer until " +
      "it shows a payment on this chain, and one request is passed on for each payment. It is " +
      "neither `sion gateway`, which fronts a node, nor `sion agent gateway`, which takes " +
      "messages for agents.",
    flags: Object.fromEntries(flags),
    examples: [
      [`${NAME} --price 0.25 --pay-to bob`, "something to pay for"],
      [
        `${NAME} --price 0.01 --pay-to bob --upstream http://127.0.0.1:3000`,
        "charge for a server of yours",
      ],
      [
        `SION_GATEWAY_PRICE=0.01 SION_GATEWAY_PAY_TO=bob ${NAME}`,
        "the same options as variables",
      ],
    ],
  };
}
