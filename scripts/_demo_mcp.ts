/** The demo's end: any AI client can use the ledger over MCP, in both eras of the protocol. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, microUsd, type Stage, type Step, tell } from "./_demo_stage.ts";
import { environment, SION } from "./_sion.ts";

/** The revision in force; a client of this era needs no handshake. */
const MODERN = "2026-07-28";

/** Longest that the client waits for an answer. */
const ANSWER_LIMIT_MS = 20_000;

type Era = { readonly name: string; readonly mode: "legacy" | { readonly pin: string } };

type ToolResult = {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
};

/** The result as a value: before 2026-07-28 an array has no structured form and is text only. */
function valueOf(result: ToolResult): unknown {
  const [first] = result.content;
  if (result.structuredContent !== undefined || first?.text === undefined) {
    return result.structuredContent;
  }
  return result.isError === true ? first.text : JSON.parse(first.text);
}

async function connect(stage: Stage, era: Era): Promise<Client> {
  const client = new Client({ name: "sion-demo", version: "1" }, {
    versionNegotiation: { mode: era.mode, probe: { timeoutMs: ANSWER_LIMIT_MS } },
  });
  const transport = new StdioClientTransport({
    command: SION,
    args: ["mcp"],
    env: environment(stage.place),
  });
  stage.cleanup.push(() => client.close());
  await client.connect(transport);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<unknown> {
  tell(`-> ${name} ${JSON.stringify(args)}`);
  const result = await client.callTool({ name, arguments: args }) as ToolResult;
  const value = valueOf(result);
  const shown = JSON.stringify(value);
  tell(
    `<- ${shown.length > 300 ? `${shown.slice(0, 300)} ... (${shown.length} characters)` : shown}`,
  );
  expect(result.isError !== true, `${name} failed: ${shown}`);
  return value;
}

/** Lists, pays and reads the events back, all over one connection. */
async function useLedger(stage: Stage, era: Era): Promise<void> {
  tell("$ sion mcp");
  const client = await connect(stage, era);
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  tell(`tools: ${names.join(", ")}`);
  for (const needed of ["sion_pay", "sion_events"]) {
    expect(names.includes(needed), `sion mcp has no tool ${needed}`);
  }
  const before = await microUsd(stage, "carol");
  const paid = await call(client, "sion_pay", { amount_usd: 0.25, from: "alice", to: "carol" }) as {
    readonly digest: string;
    readonly pulse: number;
    readonly status: unknown;
  };
  expect(paid.status === "Success", `the payment's status is ${JSON.stringify(paid.status)}`);
  const gained = await microUsd(stage, "carol") - before;
  expect(gained === 250_000n, `carol gained ${gained} micro-units, not 0.25 USD`);
  const events = await call(client, "sion_events", { from: paid.pulse }) as readonly {
    readonly tx: string | null;
  }[];
  expect(events.some((event) => event.tx === paid.digest), "the payment is not among the events");
  await client.close();
}

/** One connection in each era. */
export const mcpSteps: readonly Step[] = [
  { name: `today's protocol, ${MODERN}`, mode: { pin: MODERN } } as const,
  { name: "the protocol with a handshake, up to 2025-11-25", mode: "legacy" } as const,
].map((era) => ({
  title: `An AI client uses the ledger over MCP (${era.name})`,
  run: (stage) => useLedger(stage, era),
}));
