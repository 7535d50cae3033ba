/** docs/reference/agent-tools.md: every tool of agents as its model is offered it. */
import type { AgentTool, ToolNeed } from "#internal/agent/mod.ts";
import { agentTools, inputSchemaOf } from "#internal/agent/mod.ts";
import { stringifyJson } from "#internal/core/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

/** A property of an input's schema, as far as the page tells of it. */
interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Property[];
  readonly description?: string;
  readonly items?: Property;
}

const PREFACE = [
  "For whoever writes a script, a skill, a hook or a rule that names tools, or wants to know what an agent can do. " +
  "A session is offered what its options give it; the rest is no tool there. [The rules](../agent-rules.md) say which " +
  "calls run, ask or are refused, by the effect of each call.",
  "**Effect** is the most a call can do, in rising order `read`, `write`, `external`, `spend`; a call that does less is judged by what it " +
  "does. **Named by rules** is the argument that a rule like `write_file(notes:*)` is about. A call that must not be repeated is in " +
  "the journal: the same one is not made twice. What [programs](../agent-rules.md) may call, `run_code` calls.",
];

/** What gives a session what a tool needs, where that is no option of the same name. */
const GIVEN_BY: Partial<Record<ToolNeed, string>> = { skills: "skills" };

/** The reference of agents' tools. */
export const agentToolsPage: Page = {
  path: "docs/reference/agent-tools.md",
  text() {
    const parts = [
      "# Tools of agents",
      MADE_BY,
      ...PREFACE,
      summary(),
      ...agentTools.flatMap(section),
    ];
    return Promise.resolve(`${parts.join("\n\n")}\n`);
  },
};

function summary(): string {
  const rows = agentTools.map((tool) => [
    `[\`${tool.name}\`](#${tool.name})`,
    tool.title ?? "",
    tool.highestEffect,
    needsOf(tool),
  ]);
  return table(["tool", "what", "effect at most", "offered with"], rows);
}

function section(tool: AgentTool): string[] {
  const { name, description } = tool;
  // Lines that are meant as they stand are no Markdown.
  const told = description.includes("\n") ? `\`\`\`text\n${description}\n\`\`\`` : description;
  return [`## ${name}`, told, factsOf(tool), inputOf(tool)];
}

function needsOf({ needs = [] }: AgentTool): string {
  return needs.length === 0
    ? "every session"
    : needs.map((need) => GIVEN_BY[need] ?? `\`--${need}\``).join(", ");
}

function factsOf(tool: AgentTool): string {
  const { highestEffect, repeatHarmless, mainArgument, fromPrograms, irreversible } = tool;
  const isJournaled = highestEffect !== "read" && !repeatHarmless;
  return [
    `Effect: ${highestEffect}${irreversible === true ? ", not to be undone" : ""}`,
    ...(mainArgument === undefined ? [] : [`named by rules: \`${mainArgument}\``]),
    ...(isJournaled ? ["not made twice"] : []),
    ...(tool.outside === undefined ? [] : ["may bring content from outside"]),
    ...(fromPrograms ? ["called from programs"] : []),
    `offered with ${needsOf(tool)}`,
  ].join("; ") + ".";
}

function inputOf(tool: AgentTool): string {
  const { properties = {}, required = [] } = inputSchemaOf(tool) as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  const rows = Object.entries(properties).map(([argument, property]) => [
    `\`${argument}\``,
    typeOf(property),
    required.includes(argument) ? "yes" : "no",
    property.description ?? "",
  ]);
  return rows.length === 0
    ? "No arguments."
    : table(["argument", "type", "required", "meaning"], rows);
}

function typeOf({ type, enum: choices, anyOf, items }: Property): string {
  if (choices !== undefined) {
    return choices.map((one) => `\`${stringifyJson(one as string)}\``).join(", ");
  }
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (items !== undefined) return `array of ${typeOf(items)}`;
  return [type ?? "any value"].flat().join(" or ");
}
