/** The way of one command to the hosts that it may reach. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { startProxy } from "../proxy/filtering_proxy.ts";
import { PROXY_SOCKET, throughRelay } from "../proxy/relay.ts";
import type { SandboxCommand } from "../sandbox.ts";
import type { SandboxMachine } from "./_backend.ts";

/** A proxy for one command, while it runs. */
export interface CommandProxy extends AsyncDisposable {
  /** The command as it goes through it. */
  readonly command: SandboxCommand;
}

/** Opens one. @param folder where its socket lies @param name unique among the folder's */
export async function openCommandProxy(
  command: SandboxCommand,
  { folder, name, reach }: {
    readonly folder: string;
    readonly name: string;
    readonly reach: SandboxMachine["reach"];
  },
): Promise<CommandProxy> {
  const { hosts = [], onHost, argv, show = [] } = command;
  const socket = `proxy-${name}.sock`;
  // A path to a socket is short, and the home's need not be: the folder is named by a descriptor.
  const handle = await open(folder, constants.O_RDONLY);
  try {
    const proxy = await startProxy(`/proc/self/fd/${handle.fd}/${socket}`, {
      hosts,
      ...reach,
      ...(onHost === undefined ? {} : { onHost }),
    });
    return {
      command: {
        ...command,
        argv: throughRelay(argv),
        show: [...show, { from: join(folder, socket), at: PROXY_SOCKET }],
      },
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]();
        await handle.close();
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
