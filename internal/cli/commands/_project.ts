/** Asking a person, the first time in a folder, whether a project's own instructions are taken. */
import { escapeControls } from "#internal/core/mod.ts";
import type { SessionOptions } from "#internal/agent/mod.ts";
import type { CommandContext } from "../context.ts";

/**
 * Shows what a workspace's `AGENTS.md` asks and keeps the answer. Without a terminal it says that it is
 * not taken. A no is kept too; what changes is asked about anew.
 */
export async function askAboutProject(
  context: CommandContext,
  { workspace, given }: SessionOptions,
): Promise<void> {
  if (workspace === undefined) return;
  const { output, json, readHidden } = context;
  const { answerProject, projectInstructions } = await import("#internal/agent/mod.ts");
  const found = await projectInstructions(workspace, context, output.note);
  if (found === undefined || found.answer !== undefined) return;
  if (given?.["trustProject"] === true) return;
  const names = found.files.map(({ path }) => path).join(" and ");
  if (json || readHidden === undefined || !output.stderr.isTty) {
    return output.note(
      `${names} of the workspace is not taken: give --trust-project, or say yes to it at a terminal`,
    );
  }
  output.note(`the project in ${found.folder} has instructions for agents:`);
  for (const { path, text } of found.files) {
    output.note(`${path}:`);
    for (const line of escapeControls(text).split("\n")) output.note(`  ${line}`);
  }
  const yes = await agreed(() => readHidden("Take them, as long as they stay so? y or n: "));
  await answerProject(found, yes, context);
  output.note(yes ? "they are taken from now on" : "they are not taken");
}

/** Whether it was a y; nothing typed is a no. */
async function agreed(ask: () => Promise<string>): Promise<boolean> {
  try {
    return /^y(es)?$/i.test((await ask()).trim());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "usage") return false;
    throw error;
  }
}
