/** `/rewind`: back to an earlier message, with the files that the agent's own tools changed since. */
import { AgentError } from "../errors.ts";
import type { Rewound } from "../rewind.ts";
import { defineChatCommand, quoted } from "./_command.ts";

/** So many messages back, at most. */
const MOST = 1_000;

/** Says what was put back and what was not. */
export const rewind = defineChatCommand({
  name: "rewind",
  usage: [
    ["/rewind", "forgets the last message and its answer, and puts back the files it changed"],
    ["/rewind <n>", "the same of the last n messages"],
  ],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const count = argument === "" ? 1 : /^[1-9]\d{0,3}$/.test(argument) ? Number(argument) : 0;
    if (count < 1 || count > MOST) {
      throw new AgentError(
        "option",
        `${quoted(argument)} is no number of messages: write /rewind, or /rewind 2`,
      );
    }
    const rewound = await chat.within((conversation) => conversation.rewind(count, who));
    return { said: wordsOf(count, rewound) };
  },
});

function wordsOf(count: number, { restored, left, stays }: Rewound): string {
  const what = count === 1 ? "the last message and its answer" : `the last ${count} messages`;
  return [
    `Forgot ${what}.`,
    ...(restored.length === 0 ? [] : [`Put back: ${restored.join(", ")}.`]),
    ...left.map(({ path, why }) => `Not put back: ${path} (${why}).`),
    ...(stays.length === 0 ? [] : [
      `What these did stays done: ${stays.join(", ")}; files that commands changed are as they ` +
      "left them.",
    ]),
    "Payments and the journal are never undone.",
  ].join("\n");
}
