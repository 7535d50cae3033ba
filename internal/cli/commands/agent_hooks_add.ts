import { addHook, DEFAULT_TIMEOUT_S, HOOK_EVENTS, MAX_TIMEOUT_S } from "#internal/agent/mod.ts";
import { defineCommand, neededValue, restArguments, value } from "../command.ts";
import { usageError } from "../errors.ts";
import { integer, oneOf, text } from "../readers.ts";

export const command = defineCommand({
  path: "agent hooks add",
  brief: "Keep a command of yours that runs around your agents' tool calls or runs, as " +
    "you and outside any sandbox (agent:hooks).",
  args: {
    command: restArguments(
      text("COMMAND"),
      "the program and its arguments; no shell is in between",
    ),
  },
  flags: {
    event: neededValue(
      oneOf(...HOOK_EVENTS),
      "before-tool (exit 2 blocks the call), after-tool, run-start or run-end",
      `one of ${HOOK_EVENTS.join(", ")}`,
    ),
    tool: value(text("PATTERN"), "for tools of this name; * stands for any characters", {
      default: "every tool",
    }),
    timeout: value(
      integer(1, MAX_TIMEOUT_S, "SECONDS"),
      "stop it after so many seconds",
      { default: String(DEFAULT_TIMEOUT_S) },
    ),
  },
  examples: [
    [
      "sion agent hooks add --event before-tool --tool shell -- /home/me/guard.sh",
      "ask guard.sh before each shell command",
    ],
    [
      "sion agent hooks add --event after-tool --tool 'github_*' -- /home/me/log-call.sh",
      "tell log-call.sh of each call of a server's tools",
    ],
  ],
  json: "the hook and its number",
  node: false,
  async run({ output, json, home, env }, { args, flags }) {
    const { event, tool, timeout } = flags;
    if (tool !== undefined && !event.endsWith("-tool")) {
      throw usageError(`--tool is for before-tool and after-tool, not ${event}: leave it out`);
    }
    const hook = {
      event,
      ...(tool === undefined ? {} : { tool }),
      timeout_s: timeout ?? DEFAULT_TIMEOUT_S,
      command: [...args.command],
    };
    const number = await addHook({ home, env }, hook);
    if (json) output.json({ number, ...hook });
    else output.line(`kept as hook ${number}`);
  },
});
