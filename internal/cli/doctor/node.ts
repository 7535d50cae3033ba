import { openClient } from "#internal/client/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

/** A node answers, and serves the chain that is insisted on. */
export const node: Check = {
  name: "node",
  ofAgents: true,
  asks: true,
  async run({ clientOptions, env, signal }) {
    using client = openClient(clientOptions);
    try {
      const { chain, chain_id, certified_pulse } = await client.status({ signal });
      const pinned = clientOptions.chain === undefined ? "" : ", the one you insist on";
      return fine(
        `${client.node} answers: chain ${chain_id} (${chain.slice(0, 8)}${pinned}), ` +
          `Pulse ${certified_pulse}`,
      );
    } catch (error) {
      const { what, fix } = shownSentence(error);
      // Nobody named a node: there may be none on purpose.
      const wanted = clientOptions.node !== undefined || clientOptions.chain !== undefined ||
        (env["SION_NODE"] ?? "") !== "";
      return wanted ? failed(what, fix) : look(what, fix);
    }
  },
};
