/** `sion mcp`: the ledger as tools. Starts without a node; each call says what is missing. */
import type { ClientOptions } from "#internal/client/mod.ts";
import { VERSION } from "#internal/core/mod.ts";
import type { Tool } from "./tool.ts";
import type { ServerDefinition } from "./tool_server.ts";
import type { LedgerClient, LedgerContext } from "./tools/mod.ts";
import { ledgerTools } from "./tools/mod.ts";

/** What models are told about the tools as a whole; fixed by the reference. */
export const INSTRUCTIONS = "Tools for the Siontology neo-blockchain devnet. Assess a claim with " +
  "sion_assess_claim before relying on it.";

/** What the ledger's server needs. */
export interface LedgerServerOptions {
  /** Which node and which wallets; nothing of it is used before the first call. */
  readonly client: ClientOptions;
  /** Opens the client, once unless it fails. @default `openClient` */
  readonly open?: (options: ClientOptions) => Promise<LedgerClient & Partial<Disposable>>;
  /** The tools to offer. @default all tools of the ledger */
  readonly tools?: ServerDefinition<LedgerContext>["tools"];
}

/** The ledger's server. Nothing heavy is loaded before a request needs it. */
export function ledgerServer(options: LedgerServerOptions): ServerDefinition<LedgerContext> {
  const { client: clientOptions, open = openLedger, tools = () => Promise.resolve(ledgerTools) } =
    options;
  let opening: ReturnType<typeof open> | undefined;
  const client = (): Promise<LedgerClient> =>
    opening ??= open(clientOptions).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  return {
    info: { name: "sion", version: VERSION },
    instructions: INSTRUCTIONS,
    tools,
    context: (base) => ({ ...base, client }),
    async close() {
      // A client that could not be opened has nothing to close; its call told why.
      const opened = await opening?.catch(() => undefined);
      opened?.[Symbol.dispose]?.();
    },
  };
}

async function openLedger(options: ClientOptions): Promise<LedgerClient & Disposable> {
  return (await import("#internal/client/mod.ts")).openClient(options);
}

/** The tools of the ledger, all of them loaded. */
export async function loadLedgerTools(): Promise<readonly Tool<LedgerContext>[]> {
  return await Promise.all(ledgerTools.map((tool) => tool.load()));
}
