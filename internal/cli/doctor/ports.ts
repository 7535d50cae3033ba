import { createServer } from "node:net";
import { openClient } from "#internal/client/mod.ts";
import { codeOf } from "#internal/runtime/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Where a devnet or node listens unless it is told otherwise. */
const PORT = 8400;

/** The usual port is free, or a node has it. */
export const ports: Check = {
  name: "ports",
  ofAgents: false,
  async run({ clientOptions, signal }) {
    if (await isFree()) return fine(`127.0.0.1:${PORT} is free`);
    const { chain: _chain, ...options } = clientOptions;
    using client = openClient({ ...options, node: `http://127.0.0.1:${PORT}` });
    try {
      await client.status({ signal });
      return fine(`a node has 127.0.0.1:${PORT}`);
    } catch {
      return look(
        `127.0.0.1:${PORT} is in use by a program that is no node`,
        "stop it, or give --listen 127.0.0.1:0 to `sion devnet`",
      );
    }
  },
};

function isFree(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      if (codeOf(error) === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(PORT, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
