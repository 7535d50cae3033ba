import { expect, test } from "vitest";
import * as z from "zod";
import {
  agentTools,
  defineAgentTool,
  defineEvent,
  eventKinds,
  openSession,
  policySteps,
  reopenSession,
} from "#internal/agent/mod.ts";
import type { ConversationEvent, PolicyStep } from "#internal/agent/mod.ts";
import { AGENT, scriptOf, testMachine } from "./_machine.ts";

/** A session event: somebody rated an answer. */
const rated = defineEvent<{ stars: number }>({
  kind: "answer-rated",
  v: 1,
  body: () => z.object({ stars: z.number() }),
  apply(state, { body }) {
    state.extra.set("answer-rated", body.stars);
  },
  stream: ({ body }) => [{ type: "notice", text: `rated ${body.stars}` }],
  trace: ({ body }) => [`rated ${body.stars}`],
});

/** A tool: it sends a letter. */
const letters: string[] = [];
const sendLetter = defineAgentTool({
  name: "send_letter",
  description: "Sends a letter.",
  input: z.strictObject({ text: z.string(), to: z.string() }),
  highestEffect: "external",
  targets: ({ to }) => [{ kind: "address", to }],
  repeatHarmless: false,
  openWorld: true,
  fromPrograms: false,
  run(_context, { text, to }) {
    letters.push(`${to}: ${text}`);
    return Promise.resolve({ ok: true, text: `sent to ${to}` });
  },
});

/** A policy step: nobody writes to mallory, and letters to dana are asked about. */
const addressees: PolicyStep = {
  name: "addressees",
  judge({ targets }) {
    if (targets.some(({ to }) => to === "mallory")) {
      return { answer: "refuse", why: "nobody writes to mallory" };
    }
    if (targets.some(({ to }) => to === "dana")) {
      return { answer: "ask", why: "dana reads everything", standing: false };
    }
    return undefined;
  },
};

/** A front end over the conversation: what was said and which questions are open. */
function inbox(): {
  readonly hear: (event: ConversationEvent) => void;
  readonly said: string[];
  readonly questions: string[];
} {
  const said: string[] = [];
  const questions: string[] = [];
  return {
    said,
    questions,
    hear(event) {
      if (event.type === "delta" || event.type === "notice") said.push(event.text);
      if (event.type === "waiting") questions.push(`${event.request}: ${event.why}`);
    },
  };
}

test("an event kind, a tool, a policy step and a front end are added without touching a file", async () => {
  const machine = testMachine({
    kinds: [...eventKinds, rated],
    tools: [...agentTools, sendLetter],
    steps: [...policySteps, addressees],
  });
  const letter = (to: string) => ({ tool: "send_letter", input: { text: "Hello", to } });
  const script = scriptOf(machine, [
    { calls: [letter("mallory"), letter("bob"), letter("dana")] },
    { say: "Sent." },
  ]);
  const options = { wallet: "coder", agent: AGENT, models: [script], autonomy: "L5" };
  const front = inbox();
  let session = "";
  {
    await using conversation = await openSession(machine, options, front.hear);
    session = conversation.session;
    const end = await conversation.say({ text: "Write.", who: "letter:carol", mayDecide: true });
    expect(end.how).toBe("waiting");
  }
  expect(letters).toEqual(["bob: Hello"]);
  expect(front.questions).toEqual([expect.stringMatching(/^[0-9a-f]{8}: dana reads everything$/)]);
  {
    await using conversation = reopenSession(machine, session, front.hear);
    await conversation.decide({ approve: true, who: "letter:carol" });
  }
  expect(letters).toEqual(["bob: Hello", "dana: Hello"]);
  expect(front.said).toEqual(["Sent."]);

  const lease = machine.sessions.acquire(session);
  lease.append([rated.draft({ stars: 5 })]);
  lease.release();
  await using looked = reopenSession(machine, session, front.hear);
  expect(looked.state.extra.get("answer-rated")).toBe(5);
  await using plain = await openSession(machine, options, front.hear);
  expect(plain.state.passedOver).toEqual([]);
});

test("a version that does not know the kind passes over it", () => {
  const machine = testMachine();
  const lease = machine.sessions.create([]);
  const { session } = lease;
  lease.append([rated.draft({ stars: 5 })]);
  lease.release();
  expect(() => reopenSession(machine, session, () => {})).toThrow("was never opened");
  expect(() => machine.sessions.acquire(session).release()).not.toThrow();
});

test("a session that a newer version wrote to is not gone on with", async () => {
  const machine = testMachine();
  const script = scriptOf(machine, [{ say: "Hi." }]);
  const conversation = await openSession(
    machine,
    { wallet: "coder", agent: AGENT, models: [script] },
    () => {},
  );
  const { session } = conversation;
  await conversation[Symbol.asyncDispose]();
  const lease = machine.sessions.acquire(session);
  lease.append([{ kind: "call-started", v: 2, body: {} }]);
  lease.release();
  expect(() => reopenSession(machine, session, () => {})).toThrow(
    `session ${session} was written to by a newer sion (call-started 2): update sion`,
  );
});

test("defineAgentTool() and defineEvent() make a schema when it is first needed, and once", () => {
  let made = 0;
  const schema = () => {
    made++;
    return z.strictObject({ to: z.string() });
  };
  const tool = defineAgentTool({ ...sendLetter, input: schema, run: () => Promise.resolve(OK) });
  const kind = defineEvent<{ to: string }>({ kind: "letter-sent", v: 1, body: schema });
  expect(made).toBe(0);
  expect(tool.input).toBe(tool.input);
  expect(tool.input.safeParse({ to: "bob" }).success).toBe(true);
  expect(made).toBe(1);
  expect(kind.body.safeParse({}).success).toBe(false);
  expect(kind.body).toBe(kind.body);
  expect(made).toBe(2);
});

const OK = { ok: true, text: "" } as const;
