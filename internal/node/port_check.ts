/** Whether an address can be listened on, found out before anything is made for it. */
import { createServer } from "node:net";
import { listenError } from "#internal/runtime/mod.ts";

/**
 * Listens at an address for a moment. Port 0 always can be. Another program may take the address
 * afterwards: who listens for good finds out then.
 * @throws {SionError} `address-in-use`, `listen-failed`
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, { host, port })));
    server.listen(port, host, resolve);
  });
  await new Promise((closed) => server.close(closed));
}
