/** Pictures: which are known, shown to the model, and kept, with every vendor's interface. */
import { describe, expect, test } from "vitest";
import { defineAgentTool, openSession } from "#internal/agent/mod.ts";
import type { Conversation, SentFile } from "#internal/agent/mod.ts";
import * as z from "zod";
import { pictureOf } from "../../internal/agent/pictures.ts";
import { askingMachine } from "./_asking.ts";
import { AGENT, hearing } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";
import type { Plan } from "./_stand_in_plan.ts";
import type { StandIn } from "./_stand_in.ts";
import { standInOf } from "./_stand_in.ts";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const png = (...more: number[]) => Uint8Array.from([...PNG, ...more]);
const file = (
  name: string,
  bytes: Uint8Array,
  mediaType = "application/octet-stream",
): SentFile => ({
  name,
  mediaType,
  bytes,
});

/** A tool whose every result is another picture. */
function camera() {
  let taken = 100;
  return defineAgentTool({
    name: "camera",
    description: "Takes a picture.",
    input: z.strictObject({}),
    highestEffect: "read",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: false,
    run: () => {
      const data = Buffer.from(png(taken++)).toString("base64");
      const content = [{ type: "image", data, mimeType: "text/plain" }] as const;
      return Promise.resolve({ ok: true, text: `picture ${taken}`, content });
    },
  });
}

async function conversationWith(
  model: string,
  plans: readonly Plan[],
): Promise<{
  readonly server: StandIn;
  readonly machine: TestMachine;
  readonly conversation: Conversation;
}> {
  const server = await standInOf(plans);
  const machine = askingMachine(server, [], { tools: [camera()] });
  const options = { wallet: "coder", agent: AGENT, models: [model] };
  const conversation = await openSession(machine, options, hearing().listener);
  return { server, machine, conversation };
}

const SHOOT: Plan = { calls: [{ tool: "camera", json: "{}" }] };
const said = (text: string, ...files: SentFile[]) => ({
  text,
  files,
  who: "cli:root",
  mayDecide: true,
});

/** The last byte of each picture in a request, in order, whatever the interface's shape. */
function shownIn(body: unknown): number[] {
  const text = JSON.stringify(body);
  return [...text.matchAll(/iVBORw0KGg[A-Za-z0-9+/=]*/g)].map(([base64]) =>
    Buffer.from(base64, "base64").at(-1) ?? -1
  );
}

describe.each([
  "anthropic:claude-sonnet-5",
  "openai:gpt-5.5?api=responses",
  "openai:gpt-5.5?api=chat",
])("pictures with %s", (model) => {
  test("are shown with the words and in results, where the interface has them [C-206 C-211]", async () => {
    const { server, conversation } = await conversationWith(model, [SHOOT, { say: "Seen." }]);
    await using _ = conversation;
    const end = await conversation.say(said("Look.", file("a.txt", png(1))));
    expect(end).toMatchObject({ how: "done", said: "Seen." });
    expect(shownIn(server.taken[0]?.body)).toEqual([1]);
    expect(shownIn(server.taken[1]?.body)).toEqual([1, 100]);
    const body = JSON.stringify(server.taken[1]?.body);
    expect(body).toContain("image/png");
    expect(body).not.toContain("text/plain");
  });

  test("of another kind are named to the model and not shown [C-212 C-219]", async () => {
    const { server, conversation } = await conversationWith(model, [{ say: "Ok." }]);
    await using _ = conversation;
    const large = new Uint8Array(5_000_001);
    large.set(PNG);
    await conversation.say(
      said(
        "Look.",
        file("a.pdf", Uint8Array.of(1, 2), "application/pdf"),
        file("l.png", large, "image/png"),
      ),
    );
    const body = JSON.stringify(server.taken[0]?.body);
    expect(body).toContain("A file was sent that you cannot see: a.pdf, application/pdf, 2 bytes.");
    expect(body).toContain("A file was sent that you cannot see: l.png, image/png, 5000001 bytes.");
    expect(shownIn(server.taken[0]?.body)).toEqual([]);
  });

  test("are the last message's that has any, and the conversation's last three [C-215 C-216 C-217]", async () => {
    const shots = Array.from({ length: 5 }, () => SHOOT);
    const { server, conversation } = await conversationWith(model, [...shots, { say: "Ok." }]);
    await using _ = conversation;
    const album = Array.from({ length: 12 }, (_, at) => file(`${at}.png`, png(at + 1)));
    await conversation.say(said("An album.", ...album));
    const first = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(shownIn(server.taken[0]?.body).sort((a, b) => a - b)).toEqual([...first, 11, 12]);
    expect(shownIn(server.taken[5]?.body)).toEqual([...first, 102, 103, 104]);
    await conversation.say(said("And this.", file("x.png", png(50))));
    expect(shownIn(server.taken[6]?.body)).toEqual([103, 104, 50]);
    expect(JSON.stringify(server.taken[6]?.body)).toMatch(
      /A picture that is not shown any more: image\/png, 9 bytes, SHA-256 [0-9a-f]{64}\./,
    );
  });
});

describe("the bytes of pictures", () => {
  test("are kept of those that are shown and of the last six, the rest by digest alone [C-218]", async () => {
    const plans = [...Array.from({ length: 8 }, () => SHOOT), { say: "Ok." }];
    const { machine, conversation } = await conversationWith("anthropic:claude-sonnet-5", plans);
    await conversation.say(said("Two.", file("1.png", png(1)), file("2.png", png(2))));
    const { session, state } = conversation;
    await conversation[Symbol.asyncDispose]();
    expect(state.pictures).toHaveLength(10);
    const lease = machine.sessions.acquire(session);
    const kept = state.pictures.flatMap(({ digest }) => lease.picture(digest)?.at(-1) ?? []);
    expect(kept).toEqual([1, 2, 102, 103, 104, 105, 106, 107]);
    const log = JSON.stringify(lease.read().map(({ body }) => body));
    expect(log).not.toContain("iVBORw0KGg");
    expect(log).toContain(state.pictures[2]?.digest);
    lease.release();
  });
});

describe("pictureOf()", () => {
  test.each([
    ["image/png", png()],
    ["image/jpeg", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ["image/gif", new TextEncoder().encode("GIF89a")],
    ["image/webp", new TextEncoder().encode("RIFF\n\0\0\0WEBP")],
    [undefined, new TextEncoder().encode("<svg/>")],
    [undefined, new Uint8Array()],
  ])("knows %s by its bytes [C-205]", (mediaType, bytes) => {
    expect(pictureOf(bytes)?.mediaType).toBe(mediaType);
  });
});
