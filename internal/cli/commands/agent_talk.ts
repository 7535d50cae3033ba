import { isHex64, shortId, SionError } from "#internal/core/mod.ts";
import { argument, defineCommand, list, optionalArgument, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { agentId, path, profileOrWallet, text } from "../readers.ts";
import { readSentFile } from "../sent_file.ts";
import { openMachine, personHere } from "./_conversation.ts";
import { askAboutProject } from "./_project.ts";
import { profileOptionsOf, sessionFlags, sessionOptionsOf } from "./_session_options.ts";
import { talkInLines } from "./_talk_lines.ts";
import type { Told } from "./_talk_terminal.ts";
import { talkOnScreen } from "./_talk_terminal.ts";

export const command = defineCommand({
  path: "agent talk",
  brief: "Talk to an agent at the terminal, or line by line, where you talked to it last.",
  args: {
    name: argument(profileOrWallet, "a profile, or the agent's wallet"),
    agent: optionalArgument(agentId, "the agent's id or name; not with a profile"),
  },
  flags: {
    new: toggle("start a new session"),
    resume: value(text("SESSION"), "go on in this session; without an id, choose one", {
      bare: "",
    }),
    file: list(path, "a file sent with the first message, as with agent run"),
    ...sessionFlags,
  },
  examples: [
    ["sion agent talk lead", "as the profile lead says"],
    [
      "sion agent talk coder d85ed254 --model script:turns.json",
      "/help there lists what you can do",
    ],
    ["sion agent talk coder d85ed254 --model script:turns.json --resume", "choose a session"],
    [
      "echo 'How much is left?' | sion agent talk coder d85ed254 --model script:turns.json",
      "each line of a pipe is a message, answered before the next",
    ],
  ],
  json: "one object an event on a line, as sion agent run, and reply for each message",
  node: true,
  exits: [EXIT.waiting, EXIT.stopped, EXIT.interrupted],
  async run(context, { args, flags }) {
    const { input, output, json, plain } = context;
    if (flags.new && flags.resume !== undefined) {
      throw usageError("--new and --resume exclude each other: give one");
    }
    const { name, agent: named } = args;
    const profile = named === undefined
      ? await profileOptionsOf(context, name, flags).catch(walletMeant(name))
      : sessionOptionsOf(context, { wallet: name, agent: named }, flags);
    for (const one of flags.file) await readSentFile(one, context);
    await askAboutProject(context, profile);
    const told: Told = { note: (text) => output.note(text), wait: (what) => output.waiting(what) };
    using machine = await openMachine({
      ...context,
      clientOptions: {
        ...context.clientOptions,
        onNote: (text) => told.note(text),
        onWait: (what) => told.wait(what),
      },
    }, { showChanges: true });
    // Its full id, so that one agent's conversation has one name, and an unknown one is said now.
    const { agent } = await machine.findAgent(profile);
    const options = {
      machine,
      place: { channel: "cli", key: named === undefined ? name : `${name} ${agent}` },
      profile: { ...profile, agent },
      person: { who: personHere(), mayDecide: true },
      back: named === undefined ? `sion agent talk ${name}` : `sion agent talk ${name} ${named}`,
      files: flags.file,
      start: flags.new ? "new" : flags.resume,
      name: shownName(named ?? name),
    };
    const atTerminal = input.isTty && output.stdout.isTty && !json && !plain;
    return atTerminal
      ? await talkOnScreen(context, { ...options, told })
      : await talkInLines(context, options);
  },
});

/** An id is known by its beginning. */
function shownName(name: string): string {
  return isHex64(name) ? shortId(name) : name;
}

/** Whoever names no profile may have meant a wallet, which is followed by its agent. */
function walletMeant(name: string): (error: unknown) => never {
  return (error) => {
    const isUnknown = error instanceof SionError && error.code === "profile-unknown";
    if (!isUnknown || error.message.includes("did you mean")) throw error;
    throw new SionError(
      "profile-unknown",
      `there is no profile ${name} here: \`sion agent profile list\` shows yours; of a wallet ` +
        `give the agent too, as \`sion agent talk ${name} <agent>\``,
      { cause: error },
    );
  };
}
