/** docs/reference/mcp-tools.md: every tool as `tools/list` gives it, with recorded calls. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeTools, INSTRUCTIONS, loadLedgerTools } from "#internal/mcp/mod.ts";
import { ROOT } from "../_project.ts";
import { readCalls, type Recordings, writeCall } from "./_mcp_calls.ts";
import { MADE_BY, type Page, table } from "./_page.ts";

const PATH = "docs/reference/mcp-tools.md";

/** The reference of the tools; keeps the calls that were recorded last. */
export const mcpToolsPage: Page = {
  path: PATH,
  text: () => mcpToolsText(readCalls(textSoFar())),
};

function textSoFar(): string {
  try {
    return readFileSync(join(ROOT, PATH), "utf8");
  } catch {
    return "";
  }
}

/** The page with these calls. */
export async function mcpToolsText(recordings: Recordings): Promise<string> {
  const tools = await describeTools([...await loadLedgerTools()]);
  return `${
    [
      ...preface(),
      ...tools.flatMap((tool) => section(tool as unknown as Listed, recordings)),
    ].join("\n\n")
  }\n`;
}

type Listed = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  readonly annotations: Readonly<Record<string, boolean>>;
};
type Property = {
  readonly type: string;
  readonly description?: string;
  readonly items?: { readonly type: string };
};

function preface(): string[] {
  return [
    "# MCP tools",
    MADE_BY,
    "For whoever connects an AI client to the ledger, or wants to know what a call gives. " +
    "[Connect an AI agent over MCP](../guides/connect-an-ai-agent-over-mcp.md) shows how to add " +
    "the server to a client. This page lists every tool, with its input schema as `tools/list` " +
    "returns it, and calls recorded at a devnet.",
    "## Protocol",
    [
      "- JSON-RPC 2.0 over standard input and output, one message a line, at most 4 MiB each.",
      "- Both eras of the protocol, decided for each request. One whose `_meta` carries " +
      "`io.modelcontextprotocol/protocolVersion` is served as version `2026-07-28`, and its result " +
      'says `"resultType": "complete"`; another version is refused with error `-32022` and the ' +
      "versions spoken. A client that opens with `initialize` gets the handshake of the version it " +
      "asks for, if it is `2025-11-25`, `2025-06-18`, `2025-03-26` or `2024-11-05` (otherwise " +
      "`2025-11-25`). The server offers tools only.",
      "- Methods: `server/discover` (newer era), `initialize`, `notifications/initialized` and `ping` " +
      "(older era), `notifications/cancelled`, `tools/list` and `tools/call` (both). Any other is " +
      "answered with error `-32601`: " +
      '`{"error":{"code":-32601,"message":"method not found: resources/list"},"id":17,"jsonrpc":"2.0"}`',
      "- Batches are taken under `2025-03-26` only, as that version demands. An id is a string or an " +
      "integer, and in use by one request at a time.",
      "- `initialize` and `server/discover` carry these instructions for the model: " +
      `\`${INSTRUCTIONS}\``,
      "- A successful result carries the same value twice: as pretty-printed JSON in " +
      "`content[0].text`, and as `structuredContent`. (Versions `2025-06-18` and `2025-11-25` allow " +
      "only objects there, so a client of theirs gets the list of `sion_events` as text alone.) " +
      "Failures are results with `isError: true` and one sentence as text, for example " +
      "`unknown tool sion_teleport`. A transaction that the ledger took and refused is no such " +
      'failure: its `status` is `{"Failed": "<reason>"}`.',
      "- Calls run side by side. `notifications/cancelled` ends the wait of one; what was sent to " +
      "the ledger before may still execute.",
      "- At the end of input the server answers what was asked, then exits.",
      "- The server talks to the node at `--node` or `SION_NODE`, else `http://127.0.0.1:8400`. It " +
      "starts without one; each call then says what is missing.",
    ].join("\n"),
    "Amounts in arguments are decimal USD with at most six decimals; anything finer is refused, " +
    "never rounded. Amounts inside events are micro-units. Tools that sign take a wallet name and " +
    "resolve it as the command line does: a seed file in `$SION_HOME/wallets`, or else, on a " +
    "devnet, the deterministic wallet of that name.",
    "What a tool says of itself (`annotations`) is below each name: whether it only reads, whether " +
    "what it does can be undone, whether calling it twice does more than calling it once, and " +
    "whether it reaches parties outside.",
    "The results below are shortened in two ways only: long hexadecimal values in arguments are " +
    "cut with `…`, and where noted a large field is left out.",
  ];
}

function section(tool: Listed, recordings: Recordings): string[] {
  const { name, description, inputSchema: { properties, required = [] } } = tool;
  const rows = Object.entries(properties).map(([argument, property]) => [
    `\`${argument}\``,
    property.items === undefined ? property.type : `array of ${property.items.type}`,
    required.includes(argument) ? "yes" : "no",
    property.description ?? "",
  ]);
  return [
    `## ${name}`,
    description,
    annotationLine(tool),
    rows.length === 0 ? "No arguments." : table(["Argument", "Type", "Required", "Meaning"], rows),
    ...(NOTES[name] === undefined ? [] : [NOTES[name]]),
    ...(recordings.get(name) ?? []).map(writeCall),
  ];
}

function annotationLine({ annotations }: Listed): string {
  if (annotations["readOnlyHint"]) return "*Reads only.*";
  return `*${annotations["destructiveHint"] ? "Cannot be undone" : "Only adds"}; a repeated call ${
    annotations["idempotentHint"] ? "does no more than one" : "does it again"
  }; ${annotations["openWorldHint"] ? "reaches others" : "stays here"}.*`;
}

const SEE_TASKS = "See [Task Charters from the command line]" +
  "(../guides/task-charters-from-the-command-line.md) for the same steps as commands.";

/** What a schema cannot say. */
const NOTES: Readonly<Record<string, string>> = {
  sion_status: "`executed` counts transactions that succeeded, that failed, and that were void " +
    "(their place was lost or their Pulse had passed). `proven_pulse` is the newest Pulse that " +
    "the node executed again, twice, to the same roots. `epoch_end` is 2⁶³−1 when epochs never end; it is an exact integer, beyond " +
    "what a double holds.",
  sion_events:
    "Without `from`, the last 20 Pulses; without `limit`, 50 events, and 1000 at most. " +
    "`tx` is null for what the system itself caused.",
  sion_fetch_paid: "Of a body of more than 524,288 characters these are its first, and " +
    "`body_length` says how many it has; `sion fetch` gives the whole.",
  sion_verify_pulse: "Without `pulse`, the newest certified one. A line ends in ✓ when its check " +
    "holds and in ✗ when it does not; `verified` is true when all nine hold. What does not hold " +
    "is in the report: a node that lies is no error.",
  sion_issue_claim:
    "Without `schema` it is `note/v1`, and without `valid_for_pulses` it is valid " +
    "for 1000 Pulses. It enters the knowledge log when its Pulse closes. `claim` is missing where " +
    "the ledger refused it.",
  sion_assess_claim: "The schema’s wording aside, a distrusted atom is not worthless: it is no " +
    "longer trusted, so its cost is its bond plus its known attack cost (zero for a signature " +
    "family). Claims and atoms go by a unique beginning of their ids too. The rule is computed " +
    "here, of what the node says is in its state. See " +
    "[The decision rule](../guides/the-decision-rule.md).",
  sion_fetch_receipt: "A receipt that cannot be proven is an error, so `verified` is always true.",
  sion_task_post:
    "`adjudicator` can be written as `carol:judge` too, and tasks and claims go by a " +
    "unique beginning of their ids. What is committed is the SHA-256 of the bytes. What is " +
    `foreseeably refused is an error, and costs nothing. ${SEE_TASKS}`,
  sion_task_attest:
    "Where the task names a worker, the attestation is for that one’s result alone; " +
    `of a bounty it is for whoever hands the output in. ${SEE_TASKS}`,
  sion_task_submit: SEE_TASKS,
  sion_task_settle:
    "Without `attestations`, those that the result lists. A result that would not " +
    `pass is an error, and costs nothing. ${SEE_TASKS}`,
  sion_task_show: "`escrow` is what is paid for a result; `state` is `open`, `expired` (past its " +
    "deadline, and the poster can take the money back by `sion task refund`), `paid` or " +
    `\`refunded\`. ${SEE_TASKS}`,
  sion_memory_open: "`log` is missing where the ledger refused to open one. Atoms are kept in " +
    "`$SION_HOME/memory` of the machine that runs the server.",
  sion_memory_remember:
    "A place is `frame` and `at`; without `size` it is a point. `uncommitted` " +
    "counts atoms beyond the newest head that this machine saw. Needs no node for a log that was " +
    "opened here.",
  sion_memory_recall:
    "`valid_until_s` is null where an atom has no known end. At most 1000 atoms; " +
    "for more, ask for a smaller box. What is not complete is an error, so `verified` always reads " +
    "the same. The head is the node's word unless the server was started with `--chain`.",
  sion_storage_post:
    "`deal` is missing where the ledger refused it. The file is read for its root and " +
    "stays where it is. An open deal needs `locator` or `local`; it can be accepted for 200 Pulses. " +
    "See [Keeping files](../guides/keeping-files.md).",
  sion_storage_deals:
    "A deal that was accepted has the phase `active` with `proven`, `missed`, `round` " +
    "(from 1; null before the first and after the last), `round_ends` and `ends`, both Pulses. " +
    "`locator` is null where the deal names none.",
  sion_storage_close: "Providers keep files with `sion storage provide`.",
  sion_stake_pools:
    "A validator that is not `active` is `joining`, `waiting` (others have more stake), `slashed` or " +
    "`left`. On a chain whose epochs never end (a devnet without `--epoch-pulses`) nothing delegated ever earns. " +
    "The calls about stake are recorded at a devnet with epochs of 12 Pulses.",
  sion_stake_show:
    "`since` is the Pulse in which the phase began, `withdrawable_at` the Pulse from which what " +
    "unbonds can be withdrawn. What was withdrawn is no longer listed.",
  sion_stake_claim:
    "Takes a validator’s id too, of who operates it: what its own stake and the commission earned.",
  sion_stake_withdraw:
    "Takes the id of a validator that left too, of who operated it: its own stake.",
  sion_submit_intent: "`sion pay … --offline` prints such a transaction. With `wait` false the " +
    "result holds `digest` and `intent` alone.",
};
