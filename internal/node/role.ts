/** What a node is to its chain, a validator or a follower, told in the log when it changes. */
import type { Logger } from "#internal/core/mod.ts";
import type { Validator } from "#internal/consensus/mod.ts";

/** Watches over a node's role. Call it whenever a session began: it logs a line if that changed it. */
export function watchRole(
  machine: Pick<Validator, "self" | "session">,
  logger: Logger,
): () => void {
  let before = machine.self;
  return () => {
    const { self } = machine;
    if (self === before) return;
    before = self;
    if (self === null) {
      logger.log(
        "warn",
        "This key signs no more: its validator has another, left, or was slashed; this node only follows",
      );
    } else {
      logger.log("info", `Validator ${self} signs from session ${machine.session().session} on`);
    }
  };
}
