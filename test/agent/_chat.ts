/** A conversation on a channel, for tests. */
import { onTestFinished } from "vitest";
import { Chat } from "#internal/agent/mod.ts";
import type {
  ChatOptions,
  ChatReply,
  ModelPart,
  ModelProvider,
  SessionOptions,
} from "#internal/agent/mod.ts";
import { AGENT, hearing, scriptOf } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

/** A conversation and how one writes in it. */
export interface TestChat {
  readonly chat: Chat;
  /** Writes as somebody who may decide. */
  readonly say: (text: string) => Promise<ChatReply>;
  /** Writes as somebody who may only talk. */
  readonly ask: (text: string) => Promise<ChatReply>;
  /** What was printed so far. */
  readonly lines: readonly string[];
}

/** Opens one over a script or over models by name. */
export function chatOn(
  machine: TestMachine,
  turns: readonly Turn[] | readonly string[],
  options:
    & Partial<ChatOptions>
    & Partial<Pick<SessionOptions, "autonomy" | "workspace" | "given">> = {},
): TestChat {
  const { autonomy = "L5", workspace, given, ...rest } = options;
  const models = turns.every((one) => typeof one === "string")
    ? turns
    : [scriptOf(machine, turns as readonly Turn[])];
  const chat = new Chat({
    machine,
    place: { channel: "cli", key: "ops" },
    profile: {
      wallet: "coder",
      agent: AGENT,
      models: models as readonly string[],
      autonomy,
      ...(workspace === undefined ? {} : { workspace }),
      ...(given === undefined ? {} : { given }),
    },
    whenBusy: "wait",
    ...rest,
  });
  onTestFinished(() => chat[Symbol.asyncDispose]());
  const { listener, lines } = hearing();
  return {
    chat,
    lines,
    say: (text) => chat.handle({ text, who: "slack:U07", mayDecide: true }, listener),
    ask: (text) => chat.handle({ text, who: "slack:U08", mayDecide: false }, listener),
  };
}

/** A question that a model was asked, as far as tests look at it. */
export interface Asked {
  readonly model: string;
  readonly instructions: string;
  readonly texts: readonly string[];
  readonly tools: readonly string[];
}

/**
 * A provider of models that remember what they were asked, and answer with what `answer` makes of it.
 */
export function askedModels(
  asked: Asked[],
  answer: (one: Asked, signal: AbortSignal) => AsyncIterable<ModelPart> | string,
): ModelProvider {
  return {
    scheme: "asked",
    usage: "<name>",
    open: (rest) =>
      Promise.resolve({
        name: `asked:${rest}`,
        async *respond({ instructions, messages, tools, signal }) {
          const one: Asked = {
            model: rest,
            instructions,
            texts: messages.flatMap((message) =>
              message.role === "results" ? message.results.map(({ text }) => text) : [message.text]
            ),
            tools: tools.map(({ name }) => name),
          };
          asked.push(one);
          const said = answer(one, signal);
          if (typeof said !== "string") {
            yield* said;
            return;
          }
          yield { type: "text", text: said };
          yield { type: "usage", input: 100, output: 10 };
          yield { type: "end", stop: "end" };
        },
      }),
  };
}
