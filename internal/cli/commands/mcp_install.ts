import { readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { equalBytes, SionError, utf8 } from "#internal/core/mod.ts";
import {
  codeOf,
  displayPath,
  ensureFolder,
  type FolderLock,
  lockFolderSoon,
  readFileIfThere,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";
import { aiClients } from "../ai_clients/mod.ts";
import type { AiClient, ServerEntry } from "../ai_clients/ai_client.ts";
import { argument, defineCommand, toggle, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { oneOf, serverName } from "../readers.ts";
import { mcpEntry } from "./_mcp_entry.ts";

/** A client's file of settings is no larger. */
const MAX_FILE_BYTES = 16 << 20;
/** Links that lead to each other, at most. */
const MAX_LINKS = 8;
/** How long another `sion mcp install` is waited for, ms. */
const WAIT_MS = 10_000;

export const command = defineCommand({
  path: "mcp install",
  brief: "Add the ledger to an AI client on this machine: shows the lines, and writes them into " +
    "the client's file, where all else stays as it is.",
  args: {
    client: argument(
      oneOf(...aiClients.map(({ name }) => name)),
      `one of ${aiClients.map(({ name }) => name).join(", ")}`,
    ),
  },
  flags: {
    name: value(serverName, "the server's name in the client", { default: "sion" }),
    dryRun: toggle("show the change only"),
    replace: toggle("also in place of another server of that name"),
  },
  examples: [
    ["sion mcp install cursor --dry-run", "see what would change"],
    ["sion mcp install claude-desktop", "add it"],
    ["sion mcp install codex --node http://127.0.0.1:8401 --name sion-test", "another node's"],
  ],
  json: "{client, file, change: [line], changed, written}",
  node: true,
  async run(context, { args, flags }) {
    const { env, output, json } = context;
    const client = aiClients.find(({ name }) => name === args.client) as AiClient;
    const { clientFileText, withEntry } = await import("../ai_clients/edit.ts");
    const { changedLines } = await import("../ai_clients/lines.ts");
    const named = client.file({ env, system: process.platform });
    const path = await reaching(displayPath(named, env), () => linkTarget(named));
    const shown = displayPath(path, env);
    const name = flags.name ?? "sion";
    const readNow = () => readFileIfThere(path, { mostBytes: MAX_FILE_BYTES, shownAs: shown });
    await using _lock = flags.dryRun ? undefined : await lockInstalls(context);
    const found = await readNow();
    const before = found === undefined ? "" : clientFileText(found, shown);
    const entry = await entryHere(context);
    const after = withEntry(before, { client, name, entry, replace: flags.replace, shown });
    const { at, lines } = changedLines(before, after);
    const changed = after !== before;
    if (!json) {
      if (!changed) return output.line(`${client.title} has this server already: ${shown}`);
      output.line(`${shown}, from line ${at}:`);
      for (const { sign, text } of lines) output.line(`${sign} ${text}`);
    }
    const written = changed && !flags.dryRun;
    if (written) {
      await reaching(shown, () => ensureFolder(dirname(path)));
      // The client writes its file too, and holds no lock of sion's.
      if (!isSame(found, await readNow())) {
        throw new SionError(
          "client-file",
          `${shown} was changed just now by another program: give the command again; ` +
            "nothing was written",
        );
      }
      const mode = await modeOf(path, shown);
      await reaching(shown, () => writeFileAtomic(path, utf8(after), { mode }));
    }
    if (json) {
      const change = lines.map(({ sign, text }) => `${sign} ${text}`);
      return output.json({ client: client.name, file: path, change, changed, written });
    }
    output.note(
      written
        ? `${client.title} ${client.after}`
        : "nothing was written: give the command without --dry-run",
    );
  },
});

/** Of several that add entries at once, one at a time reads and writes. */
async function lockInstalls({ home, signal }: CommandContext): Promise<FolderLock> {
  const folder = join(home, "locks", "mcp-install");
  await ensureFolder(folder);
  try {
    return await lockFolderSoon(folder, { waitMs: WAIT_MS, signal });
  } catch (error) {
    if (!(error instanceof SionError && error.code === "folder-locked")) throw error;
    const { pid } = error.data;
    const which = typeof pid === "number" ? ` (process ${pid})` : "";
    throw new SionError(
      "folder-locked",
      `another sion mcp install still runs${which}: stop it, or give the command again once it ended`,
      { cause: error },
    );
  }
}

/** Does something with the client's file: of what keeps it from that, this file is told, and no other. */
async function reaching<Value>(shown: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (!/^E[A-Z]+$/.test(code)) throw error;
    throw new SionError(
      "client-file",
      `${shown} cannot be written (${code}): make it and its folder yours to write, or add the lines by ` +
        "hand; nothing was written",
      { cause: error },
    );
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : equalBytes(one, other);
}

/** This program as a client starts it, with the node, chain and folder that it was given here. */
async function entryHere(context: CommandContext): Promise<ServerEntry> {
  const { checkClientOptions } = await import("#internal/client/mod.ts");
  checkClientOptions(context.clientOptions);
  const { thisProgram } = await import("#internal/mcp/mod.ts");
  const [command, ...before] = await thisProgram();
  const { words, env } = mcpEntry(context);
  return { command, args: [...before, ...words], env };
}

/** The file that a link leads to, so that the link stays one, also where nothing is there yet. */
async function linkTarget(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const next = await readlink(path).catch(() => undefined);
  if (next === undefined || links === MAX_LINKS) return path;
  return await linkTarget(resolve(await linkTarget(dirname(path)), next), links + 1);
}

/**
 * The rights that the file has; of a new one its owner's alone, since others keep secrets there.
 * @throws {SionError} `client-file` when it was made one that nobody writes
 */
async function modeOf(path: string, shown: string): Promise<number> {
  const mode = await stat(path).then(({ mode }) => mode & 0o777, () => 0o600);
  if ((mode & 0o200) !== 0) return mode;
  throw new SionError(
    "client-file",
    `${shown} is read-only: run \`chmod u+w\` on it, or add the lines where it is made from; ` +
      "nothing was written",
  );
}
