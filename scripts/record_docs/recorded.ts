/** Pages that hold what programs printed: to record them the programs run, at a devnet of their own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../_project.ts";
import { type Place, startDevnet } from "../_sion.ts";
import { recordCalls, type Recordings, STAKE_EPOCH } from "./_mcp_calls.ts";
import type { Page } from "./_page.ts";
import { recordPage } from "./_recorder.ts";
import { mcpToolsPage, mcpToolsText } from "./mcp_tools.ts";

/** README.md and the guides that show commands. */
export function pagesWithCommands(): Page[] {
  const guides = readdirSync(join(ROOT, "docs/guides")).map((file) => `docs/guides/${file}`);
  return ["README.md", ...guides]
    .map((path) => ({ path, text: () => recordPage(readFileSync(join(ROOT, path), "utf8")) }))
    .filter(({ path }) => readFileSync(join(ROOT, path), "utf8").includes("\n```console\n"));
}

/** Every page that is recorded. Their text is another each time: ids and Pulses differ. */
export function recordedPages(): Page[] {
  return [...pagesWithCommands(), { path: mcpToolsPage.path, text: recordMcpTools }];
}

async function recordMcpTools(): Promise<string> {
  return await mcpToolsText(await recordMcpCalls());
}

/** The reference's calls, made at devnets of their own. */
export async function recordMcpCalls(): Promise<Recordings> {
  const home = mkdtempSync(join(tmpdir(), "sion-docs-"));
  try {
    await using devnet = await startDevnet({ home });
    const placeOf = ({ node }: { readonly node: string }): Place => ({ home, node });
    return await recordCalls(placeOf(devnet), async (tries) => {
      const dir = join(home, `staked-${tries}`);
      const staked = await startDevnet(
        { home },
        ...["--dir", dir, "--epoch-pulses", `${STAKE_EPOCH}`],
      );
      return {
        place: placeOf(staked),
        [Symbol.asyncDispose]: () => staked[Symbol.asyncDispose](),
      };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
