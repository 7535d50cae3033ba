/** Runs a script that comes with a skill, in the session's sandbox. */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import type { Sandbox } from "#internal/sandbox/mod.ts";
import { commandText, runCommand, SandboxError } from "#internal/sandbox/mod.ts";
import type { Services } from "../capabilities/mod.ts";
import { checkedSkill, scriptInterpreter } from "../skills/mod.ts";
import type { Skill, SkillFile } from "../skills/mod.ts";
import { ANSWER_LENGTH, commandLimitMs, sandboxFailure, shellOf } from "./_shell.ts";
import { NAME_DESCRIPTION, skillFailure, skillsOf } from "./_skills.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_ARGUMENTS = 200;
const MAX_ARGUMENT_LENGTH = 32_000;
/** Where a skill's files are inside. */
const SKILL = "/skill";
/** Hosts that are told of one run. */
const MAX_TOLD = 8;
const CUT_OFF: ToolResult = {
  ok: false,
  code: "interrupted",
  message:
    "the script was cut off together with the runtime: look at what it left before you run " +
    "it again",
  noEffect: false,
};

/** Not in the journal, as commands are not: the same script may be run again on what changed. */
export const skillRun = defineAgentTool({
  name: "skill_run",
  title: "Run a skill's script",
  description: "Run a script that comes with a skill, as its instructions say. It starts in the " +
    "workspace; the skill's files are read-only at /skill. The result begins with the exit status.",
  input: () =>
    z.strictObject({
      args: z.array(z.string().max(MAX_ARGUMENT_LENGTH)).max(MAX_ARGUMENTS).exactOptional()
        .describe("Its arguments (default none)"),
      name: z.string().min(1).describe(NAME_DESCRIPTION),
      script: z.string().min(1).max(500).describe("Its path in the skill, like scripts/count.py"),
    }),
  needs: ["workspace", "shell", "skills"],
  highestEffect: "external",
  effect: ({ name }, { services }) => reaches(services, name) ? "external" : "write",
  outside(result, { name }) {
    if (!result.ok) return undefined;
    const network = (result.value as { readonly network?: boolean } | undefined)?.network;
    return network === true ? `a script of skill ${name} with network` : undefined;
  },
  repeatHarmless: true,
  openWorld: true,
  readsWorkspace: true,
  fromPrograms: false,
  outputLimitBytes: ANSWER_LENGTH + 1_024,
  limitMs: commandLimitMs,
  says: ({ name, script, args = [] }) =>
    `runs ${[script, ...args].join(" ")} of skill ${name} in the workspace`,
  async run(context, { name, script, args = [] }) {
    const skills = skillsOf(context);
    const { sandbox } = shellOf(context);
    if (args.some((one) => one.includes("\0"))) {
      return refused("argument", "an argument holds a zero byte, which no program can be given");
    }
    try {
      const skill = await skills.find(name);
      const argv = argvOf(skill, await checkedSkill(skills.place, skill), script);
      if (typeof argv === "string") return refused("skill-file", argv);
      const { env, missing, redactor } = await skills.secrets(skill);
      if (missing.length > 0) return refused("skill", missingText(name, missing));
      const hosts = sandbox.reachesHosts ? skill.granted.hosts : [];
      // What was judged is what runs: a grant may have come in between.
      if (hosts.length > 0 && !reaches(context.services, name)) return refused("skill", ANEW);
      const refusedHosts = new Set<string>();
      const end = await runCommand(sandbox, {
        argv: [...argv, ...args],
        env,
        hosts,
        onHost({ host, refused: why }) {
          if (why !== undefined && refusedHosts.size < MAX_TOLD) refusedHosts.add(host);
        },
        show: [{ from: skill.folder, at: SKILL }],
      }, { signal: context.signal, redactor });
      const text = [
        commandText(end, sandbox.limits),
        ...remarks(skill, sandbox),
        ...(refusedHosts.size === 0
          ? []
          : [`(it asked for what was not let through: ${[...refusedHosts].join(", ")})`]),
      ].join("\n");
      return { ok: true, text, value: { network: hosts.length > 0 } };
    } catch (error) {
      return error instanceof SandboxError ? sandboxFailure(error) : skillFailure(error);
    }
  },
  recover: () => Promise.resolve(CUT_OFF),
});

const ANEW = "what the skill may reach changed while this session works: start a new one";

/** Whether scripts of a skill reach any host, by what was granted when the session began to work. */
function reaches(services: Services, name: string): boolean {
  const skill = skillsOf({ services }).known.find((one) => one.name === name);
  return shellOf({ services }).sandbox.reachesHosts && (skill?.granted.hosts.length ?? 0) > 0;
}

/** What starts a script, or why nothing does. */
function argvOf(
  { name }: Skill,
  files: readonly SkillFile[],
  script: string,
): readonly string[] | string {
  const path = script.replace(/^(?:\.\/|\/skill\/)/, "");
  const file = files.find((one) => one.path === path);
  const words = file === undefined ? undefined : scriptInterpreter(file);
  if (words !== undefined) return [...words, `${SKILL}/${path}`];
  const scripts = files.filter((one) => scriptInterpreter(one) !== undefined)
    .map((one) => one.path).slice(0, 20);
  const has = scripts.length === 0 ? "it has no scripts" : `it has ${scripts.join(", ")}`;
  return file === undefined
    ? `skill ${name} has no script ${script}: ${has}`
    : `${script} of skill ${name} is no script: it has no #! line and no known extension; ${has}`;
}

/** What the model is told of what the script asked for and has not. */
function remarks({ name, declaration, granted }: Skill, sandbox: Sandbox): string[] {
  const ungranted = [
    ...declaration.hosts.filter((host) => !granted.hosts.includes(host)),
    ...declaration.secrets.filter((secret) => !granted.secrets.includes(secret)),
  ];
  return [
    ...(ungranted.length === 0 ? [] : [
      `(not granted to this skill: ${ungranted.join(", ")}; \`sion skill review ${name}\` is the ` +
      "operator's)",
    ]),
    ...(granted.hosts.length === 0 || sandbox.reachesHosts
      ? []
      : ["(the sandbox has no network for it: --sandbox-network declared gives it its hosts)"]),
  ];
}

function missingText(name: string, missing: readonly string[]): string {
  return `skill ${name} needs ${missing.join(", ")}, which is not kept: the operator runs ` +
    `\`sion agent credential add ${missing[0]}\``;
}
