/** docs/reference/cli.md: every command from its data. */
import type { AnyCommand } from "#internal/cli/mod.ts";
import {
  allFlags,
  argumentName,
  gatewayProgram,
  loadCommands,
  optionAbout,
  optionLabel,
  topics,
  usagesOf,
} from "#internal/cli/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

/** The reference of the command line. */
export const cliPage: Page = {
  path: "docs/reference/cli.md",
  async text() {
    const commands = [...await loadCommands(), await gatewayProgram()];
    return [
      "# The command line",
      MADE_BY,
      "For whoever types or scripts `sion`. Every command takes `--help`; these pages say the same. `sion-gateway` is a program of its own.",
      "How a command ended: [exit codes](exit-codes.md). What an error means: [errors](errors.md).",
      "",
      commands.map(nameOf).map((name) => `[${name}](#${name.replaceAll(" ", "-")})`).join(" · "),
      ...commands.map(sectionOf),
      ...topics.map(({ name, text }) => `\n## help ${name}\n\n\`\`\`text\n${text()}\n\`\`\``),
      "",
    ].join("\n");
  },
};

function nameOf({ program, path }: AnyCommand): string {
  return program ?? path;
}

function sectionOf(command: AnyCommand): string {
  const examples = command.examples.map(([line, does]) => `$ ${line}    # ${does}`);
  const args = Object.entries(command.args as Record<string, Described>).map(([name, argument]) => [
    `\`<${argumentName(name)}>\``,
    argument.about + (argument.required ? "" : " (may be left out)"),
  ]);
  const flags = Object.entries(allFlags(command)).map(([name, flag]) => [
    `\`${optionLabel(name, flag)}\``,
    optionAbout(flag),
  ]);
  const exits = [0, 1, ...command.exits ?? []].join(", ");
  return [
    `\n## ${nameOf(command)}\n`,
    command.brief,
    `\n${usagesOf(command).map((usage) => `\`${usage}\``).join(", ")}\n`,
    `\`\`\`text\n${examples.join("\n")}\n\`\`\`\n`,
    table(["argument, option", "meaning"], [...args, ...flags]),
    `\nEnds with ${exits}.`,
  ].join("\n");
}

interface Described {
  readonly about: string;
  readonly required: boolean;
}
