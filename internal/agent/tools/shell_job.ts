/** Looks at a command that runs beside the conversation, waits for it, or ends it. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import { jobText } from "#internal/sandbox/mod.ts";
import { ANSWER_LENGTH, commandAnswer, commandLimitMs, commandSource, shellOf } from "./_shell.ts";
import { defineAgentTool } from "./_tool.ts";

/** Output is shown once: what was read is not there the next time. */
export const shellJob = defineAgentTool({
  name: "shell_job",
  title: "Look at a job",
  description: "What a job of shell's printed since you last looked, and whether it still runs. " +
    "With wait, waits for its end first; with stop, ends it. Without a job, lists all.",
  input: () =>
    z.strictObject({
      job: z.number().int().min(1).exactOptional().describe("The job's number (default: list all)"),
      stop: z.boolean().exactOptional().describe("End it with all it started (default false)"),
      wait: z.number().int().min(1).max(600).exactOptional()
        .describe("Seconds to wait for its end, within a command's time (default 0)"),
    }),
  needs: ["workspace", "shell"],
  highestEffect: "write",
  effect: ({ stop = false }) => stop ? "write" : "read",
  outside: commandSource,
  repeatHarmless: true,
  openWorld: true,
  readsWorkspace: true,
  fromPrograms: false,
  outputLimitBytes: ANSWER_LENGTH,
  limitMs: commandLimitMs,
  async run(context, { job, stop = false, wait = 0 }) {
    const own = shellOf(context);
    const { jobs, sandbox } = own;
    if (job === undefined) return { ok: true, text: listText(jobs.standing()) };
    const waitMs = Math.min(wait * 1_000, sandbox.limits.timeMs);
    const news = stop
      ? await jobs.stop(job)
      : await jobs.read(job, { waitMs, signal: context.signal });
    if (news === undefined) {
      return refused("argument", `there is no job ${job}: ${listText(jobs.standing())}`);
    }
    return commandAnswer(own, jobText(news));
  },
});

function listText(
  jobs: readonly { readonly job: number; readonly command: string; readonly status?: number }[],
): string {
  if (jobs.length === 0) return "no job was started in this conversation";
  return jobs.map(({ job, command, status }) =>
    `job ${job} ${status === undefined ? "runs" : `ended with exit status ${status}`}: ` +
    command.slice(0, 120).toWellFormed()
  ).join("\n");
}
