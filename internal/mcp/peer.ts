/**
 * The client of one call, as a tool or prompt sees it: it can be asked for input and told things. How
 * that travels is the era's business: as requests of the server's own before 2026-07-28, as a result
 * that asks for another round since.
 */
import { type JsonValue, SionError } from "#internal/core/mod.ts";
import { invalidParams, isObject, type JsonObject, ProtocolError } from "./json_rpc.ts";

/** What can be asked, each by the method that carries it. */
export type QuestionMethod = "elicitation/create" | "roots/list" | "sampling/createMessage";

/** One question; `params` as the protocol has them for its method. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params: JsonObject;
}

/** The protocol's levels of log messages, from least to most severe. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Who called. */
export interface Peer {
  /** Whether the client declared that it answers such questions. */
  answers(method: QuestionMethod): boolean;
  /**
   * Asks all of the questions at once and gives the answers under the same names, each of the form
   * that its method has. A call that asks runs anew from its start with every round of answers, and
   * earlier questions give at once what they gave before: so nothing may be done before the last one.
   * @throws what ends this run of the call; it is not to be caught.
   */
  ask<Name extends string>(
    questions: { readonly [name in Name]: Question },
  ): Promise<{ readonly [name in Name]: JsonObject }>;
  /** Tells the client something, if it wants to hear of that level. */
  log(level: LogLevel, data: JsonValue, logger?: string): void;
}

/** Ends a run of a call: its client has to answer first. */
export class InputRequired extends Error {
  override readonly name = "InputRequired";
  /** What is asked in this round. */
  readonly questions: { readonly [name: string]: Question };
  /** What was answered so far. */
  readonly answers: JsonObject;

  constructor(questions: InputRequired["questions"], answers: JsonObject) {
    super("the call needs input from its client");
    this.questions = questions;
    this.answers = answers;
  }
}

/** The capability that a client declares for each kind of question. */
const CAPABILITIES: Readonly<Record<QuestionMethod, string>> = {
  "elicitation/create": "elicitation",
  "roots/list": "roots",
  "sampling/createMessage": "sampling",
};

/** Whether a client with these capabilities answers such questions. */
function canAnswer(capabilities: JsonObject, method: QuestionMethod): boolean {
  return isObject(capabilities[CAPABILITIES[method]]);
}

/** The capabilities that questions need and a client has not; undefined when it has all. */
function missingCapabilities(
  capabilities: JsonObject,
  questions: Iterable<Question>,
): JsonObject | undefined {
  const missing = [...questions].filter(({ method }) => !canAnswer(capabilities, method));
  if (missing.length === 0) return undefined;
  return Object.fromEntries(missing.map(({ method }) => [CAPABILITIES[method], {}]));
}

/** Whether an answer has the form that its question's method gives it. */
function isAnswer(method: QuestionMethod, answer: JsonValue | undefined): boolean {
  if (!isObject(answer)) return false;
  switch (method) {
    case "elicitation/create":
      // Of a form that was accepted; one that leads to a URL has no content.
      return (answer["action"] === "accept" &&
        (answer["content"] === undefined || isObject(answer["content"]))) ||
        answer["action"] === "decline" || answer["action"] === "cancel";
    case "roots/list":
      return Array.isArray(answer["roots"]) &&
        answer["roots"].every((root) => isObject(root) && typeof root["uri"] === "string");
    case "sampling/createMessage":
      return (isObject(answer["content"]) || Array.isArray(answer["content"])) &&
        answer["role"] === "assistant" && typeof answer["model"] === "string";
  }
}

/** What the peer of a request of the legacy era works with. */
export interface LegacyPeerOptions {
  /** As declared in `initialize`. */
  readonly capabilities: JsonObject;
  /** The least level that is sent. */
  readonly level: () => LogLevel;
  /** A request to the client. */
  readonly request: (method: string, params: JsonObject) => Promise<JsonValue>;
  readonly notify: (method: string, params: JsonObject) => void;
}

/** Asks by requests of the server's own, and waits for their answers. */
export function legacyPeer({ capabilities, level, request, notify }: LegacyPeerOptions): Peer {
  const one = async ({ method, params }: Question): Promise<JsonObject> => {
    const answer = await request(method, params);
    if (isAnswer(method, answer)) return answer as JsonObject;
    throw new SionError(
      "client-answer",
      `the client answered ${method} in no form that it has: ask it again`,
    );
  };
  return {
    answers: (method) => canAnswer(capabilities, method),
    async ask(questions) {
      const list = Object.entries<Question>(questions);
      const missing = missingCapabilities(capabilities, list.map(([, question]) => question));
      if (missing !== undefined) {
        const names = Object.keys(missing).join(" and ");
        throw new SionError("client-capability", `this needs a client that offers ${names}`);
      }
      const answers = await Promise.all(
        list.map(async ([name, question]) => [name, await one(question)] as const),
      );
      return Object.fromEntries(answers) as {
        readonly [name in keyof typeof questions]: JsonObject;
      };
    },
    log: (at, data, logger) => tell(notify, level(), { level: at, data, logger }),
  };
}

/** What the peer of a request of the modern era works with. */
export interface ModernPeerOptions {
  /** As declared in the request. */
  readonly capabilities: JsonObject;
  /** The least level that is sent; undefined: none is wanted. */
  readonly level: LogLevel | undefined;
  /** What was answered in this round. */
  readonly responses: JsonObject;
  /** What was answered in earlier rounds. @throws {ProtocolError} when that was tampered with */
  readonly earlier: () => Promise<JsonObject>;
  readonly notify: (method: string, params: JsonObject) => void;
}

/** Asks by ending the run: the next round of the same request brings the answers. */
export function modernPeer(options: ModernPeerOptions): Peer {
  const { capabilities, level, responses, earlier, notify } = options;
  /** All that was asked and answered, in this run and before. */
  let known: Record<string, JsonValue | undefined> | undefined;
  return {
    answers: (method) => canAnswer(capabilities, method),
    async ask(questions) {
      known ??= { ...await earlier() };
      const open: Record<string, Question> = {};
      for (const [name, question] of Object.entries<Question>(questions)) {
        const given = Object.hasOwn(known, name) ? known[name] : responses[name];
        if (isAnswer(question.method, given)) known[name] = given;
        else open[name] = question;
      }
      const missing = missingCapabilities(capabilities, Object.values(open));
      if (missing !== undefined) {
        const names = Object.keys(missing).join(" and ");
        const data = { requiredCapabilities: missing as JsonValue };
        throw new ProtocolError("missing-capability", `the client does not offer ${names}`, {
          data,
        });
      }
      // Only what was asked is kept: a client cannot answer what is still to be asked.
      if (Object.keys(open).length > 0) throw new InputRequired(open, { ...known });
      return known as { readonly [name in keyof typeof questions]: JsonObject };
    },
    log(at, data, logger) {
      if (level !== undefined) tell(notify, level, { level: at, data, logger });
    },
  };
}

function tell(
  notify: LegacyPeerOptions["notify"],
  least: LogLevel,
  message: { level: LogLevel; data: JsonValue; logger: string | undefined },
): void {
  if (LOG_LEVELS.indexOf(message.level) < LOG_LEVELS.indexOf(least)) return;
  notify("notifications/message", message);
}

/** A level as a client names it. @throws {ProtocolError} */
export function readLogLevel(value: JsonValue | undefined): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw invalidParams(`level must be one of ${LOG_LEVELS.join(", ")}`);
}
