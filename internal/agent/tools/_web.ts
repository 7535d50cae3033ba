/** What the tools of the web share. */
import type { Web } from "../capabilities/mod.ts";
import type { AgentToolContext } from "./_tool.ts";

/** The session's web. @throws {TypeError} when it has none, which only a bug can cause */
export function webOf({ services }: Pick<AgentToolContext, "services">): Web {
  if (services.web === undefined) throw new TypeError("Cannot read the web without --web");
  return services.web;
}
