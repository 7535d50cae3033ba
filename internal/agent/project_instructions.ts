/** A project's own instructions for agents: `AGENTS.md` in its workspace. */
import { realpath } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import { stringifyJson, toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { displayPath } from "#internal/runtime/mod.ts";
import { openProjectChoices } from "#internal/store/mod.ts";
import { textOfBytes } from "./text/text_file.ts";
import { openWorkspace } from "./workspace.ts";
import { WorkspaceError } from "./workspace/errors.ts";
import { checkWorkspace } from "./workspace_check.ts";

const NAME = "AGENTS.md";
/** Bytes of one file; a larger one is a document, which the agent can read itself. */
const MOST_BYTES = 32_000;

/** What a project asks of agents. */
export interface ProjectInstructions {
  /** The workspace, absolute and without links. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What a yes is for, 64 hex digits. */
  readonly digest: string;
  /** What was said about these very instructions; missing when nobody was asked. */
  readonly answer?: boolean;
}

/** Where it is looked for. */
export interface ProjectPlace {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The instructions at the workspace's root and, where one stands in a folder of it, the nearest ones
 * above that; nothing when there are none.
 * @param unfit hears of what stands there and is not taken, a sentence each: a person who wrote it would not
 * find out otherwise
 * @throws {AgentError} `workspace`
 */
export async function projectInstructions(
  workspace: string,
  { home, cwd, env }: ProjectPlace,
  unfit: (sentence: string) => void = () => {},
): Promise<ProjectInstructions | undefined> {
  const { folder, files } = await findFiles(workspace, { home, cwd, env }, unfit);
  if (files.length === 0) return undefined;
  const digest = toHex(
    sha256(
      utf8(stringifyJson(["sion/project/v1", ...files.map(({ path, text }) => [path, text])])),
    ),
  );
  const choices = openProjectChoices(home, (path) => displayPath(path, env));
  const answer = await choices.answer(folder, digest);
  return { folder, files, digest, ...(answer === undefined ? {} : { answer }) };
}

async function findFiles(
  workspace: string,
  { home, cwd, env }: ProjectPlace,
  unfit: (sentence: string) => void,
): Promise<Pick<ProjectInstructions, "files" | "folder">> {
  const folder = await realpath(await checkWorkspace({ folder: workspace, cwd, home, env }));
  const opened = await openWorkspace(folder);
  const files: { readonly path: string; readonly text: string }[] = [];
  /** True when something is taken. */
  const take = async (path: string): Promise<boolean> => {
    try {
      const { bytes } = await opened.readWhole(path, MOST_BYTES);
      const text = textOfBytes(bytes)?.text.trim();
      if (text === undefined) unfit(`${path} of the workspace is not taken: it is no text`);
      else if (text !== "") files.push({ path, text });
      return text !== undefined && text !== "";
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      if (error.code !== "missing") unfit(unfitText(path, error));
      return false;
    }
  };
  await take(NAME);
  for (const inner of await foldersAbove(cwd, folder)) {
    if (await take(posix.join(inner, NAME))) break;
  }
  return { folder, files };
}

function unfitText(path: string, { code, message }: WorkspaceError): string {
  const why = code === "too-large" ? `it has more than ${MOST_BYTES} bytes: shorten it` : message;
  return `${path} of the workspace is not taken: ${why}`;
}

/** Keeps what a person said about a project's instructions. */
export async function answerProject(
  { folder, digest }: ProjectInstructions,
  yes: boolean,
  { home, env }: ProjectPlace,
): Promise<void> {
  await openProjectChoices(home, (path) => displayPath(path, env)).keep(folder, digest, yes);
}

/** The folders from where one stands up to the workspace, without its root; none outside it. */
async function foldersAbove(cwd: string, root: string): Promise<string[]> {
  const inner = relative(root, await realpath(cwd));
  if (inner === "" || inner === ".." || inner.startsWith(`..${sep}`)) return [];
  const parts = inner.split(sep);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
}
