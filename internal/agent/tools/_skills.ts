/** What the tools of skills share. */
import type { ToolFailure } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { Services, SkillsService } from "../capabilities/mod.ts";
import { AgentError } from "../errors.ts";

/** The session's skills. @throws {TypeError} when it has none, which only a bug can cause */
export function skillsOf({ services }: { readonly services: Services }): SkillsService {
  if (services.skills === undefined) throw new TypeError("Cannot use a skill without skills");
  return services.skills;
}

/** A skill that cannot be used as asked, as a failed call; a bug is thrown on. */
export function skillFailure(error: unknown): ToolFailure {
  const isTold = error instanceof AgentError ||
    (error instanceof SionError && /^(?:file|kept|folder)-/.test(error.code));
  if (isTold) return refused(error.code, error.message);
  throw error;
}

/** The description of a skill's name. */
export const NAME_DESCRIPTION = "The skill's name";
