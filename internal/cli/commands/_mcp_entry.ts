/** How an AI client is to start `sion mcp` so that it does what it does here. */
import { sionHome, userHome } from "#internal/runtime/mod.ts";
import type { CommandContext } from "../context.ts";

/** The words after the program's name and the variables, with the node, chain and folder of here. */
export function mcpEntry(
  { clientOptions, env, home }: Pick<CommandContext, "clientOptions" | "env" | "home">,
): {
  readonly words: readonly ["mcp", ...string[]];
  readonly env: Readonly<Record<string, string>>;
} {
  const { node = env["SION_NODE"], chain } = clientOptions;
  return {
    words: [
      "mcp",
      ...(node === undefined || node === "" ? [] : ["--node", node]),
      ...(chain === undefined ? [] : ["--chain", chain]),
    ],
    env: home === sionHome({ HOME: userHome(env) }) ? {} : { SION_HOME: home },
  };
}
