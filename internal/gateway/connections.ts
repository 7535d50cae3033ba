/** Which connections a server of strangers keeps: so many of one client, and none that leave HTTP. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { clientKey } from "./client_key.ts";

/** Connections at once; more are closed as they come. */
const MAX_CONNECTIONS = 1_024;
/** Of one client, so that nobody has them all. What stands in front is one client. */
export const MAX_OF_CLIENT = 512;
/** How long a connection that wanted to leave HTTP may take to read that it cannot, ms. */
const LEAVING_MS = 2_000;

/** Takes a connection, unless its client has `most` of them. What is taken is counted until it closes. */
export function connectionsOf(most: number): (socket: Socket) => boolean {
  const open = new Map<string, number>();
  return (socket) => {
    const client = clientKey({ headers: {}, socket }, false);
    const count = (open.get(client) ?? 0) + 1;
    if (count > most) return false;
    open.set(client, count);
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
    return true;
  };
}

/** Bounds the connections of a server that does not listen yet. */
export function boundConnections(
  server: Server,
  { all = MAX_CONNECTIONS, ofClient = MAX_OF_CLIENT }: {
    readonly all?: number;
    readonly ofClient?: number;
  } = {},
): void {
  server.maxConnections = all;
  const takes = connectionsOf(ofClient);
  server.on("connection", (socket: Socket) => void (takes(socket) || socket.destroy()));
  // A connection that leaves HTTP could not be charged for.
  server.on("upgrade", (_request, socket) => refuseUpgrade(socket));
}

/** From here on the server knows nothing of the connection: neither its end nor what breaks it. */
function refuseUpgrade(socket: Duplex): void {
  const overdue = setTimeout(() => socket.destroy(), LEAVING_MS);
  socket.once("close", () => clearTimeout(overdue));
  socket.on("error", () => socket.destroy());
  socket.resume();
  socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}
