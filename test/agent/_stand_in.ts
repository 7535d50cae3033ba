/**
 * A stand-in for the providers of models: Anthropic's Messages, OpenAI's Responses and Chat
 * Completions, as far as agents use them. It answers what a test has planned, in events of the recorded
 * shapes, and takes no request that the real ones would not: its rules are theirs. That the vendors'
 * own clients read its answers is tested in `stand_in.test.ts`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Cut, Plan } from "./_stand_in_plan.ts";
import { chatEvents, chatFault } from "./_stand_in_chat.ts";
import { messagesEvents, messagesFault } from "./_stand_in_messages.ts";
import { responsesEvents, responsesFault } from "./_stand_in_responses.ts";

/** A request as it came. */
export interface Taken {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // deno-lint-ignore no-explicit-any -- tests look at any part of it
  readonly body: any;
  readonly bytes: number;
  /** Resolves when its connection closes before the answer was whole. */
  readonly hungUp: Promise<void>;
}

/** A running stand-in. */
export interface StandIn {
  /** Without `/v1`. */
  readonly url: string;
  readonly taken: Taken[];
  close(): Promise<void>;
}

const APIS = {
  "/v1/messages": { events: messagesEvents, fault: messagesFault },
  "/v1/responses": { events: responsesEvents, fault: responsesFault },
  "/v1/chat/completions": { events: chatEvents, fault: chatFault },
} as const;

/** Starts one that answers one plan after the other, and the last again and again. */
async function standIn(plans: readonly Plan[]): Promise<StandIn> {
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    void take(request, response, plans, taken);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    close: () => closeServer(server),
  };
}

/** As `standIn`, until the test is done. */
export async function standInOf(plans: readonly Plan[]): Promise<StandIn> {
  const started = await standIn(plans);
  onTestFinished(() => started.close());
  return started;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  plans: readonly Plan[],
  taken: Taken[],
): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of request as AsyncIterable<Uint8Array>) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  const path = request.url ?? "";
  const hungUp = new Promise<void>((resolve) => {
    response.once("close", () => response.writableFinished || resolve());
  });
  const body = JSON.parse(text) as unknown;
  const plan = plans[Math.min(taken.length, plans.length - 1)];
  taken.push({ path, headers: request.headers, body, bytes: Buffer.byteLength(text), hungUp });
  const api = Object.entries(APIS).find(([known]) => path === known)?.[1];
  if (api === undefined || plan === undefined) return answer(response, 404, {}, {});
  const fault = api.fault(body as never, request.headers);
  if (fault !== undefined) {
    return answer(response, 400, {}, {
      type: "error",
      error: { type: "invalid_request_error", message: fault },
    });
  }
  if ("status" in plan) {
    return answer(
      response,
      plan.status,
      plan.headers ?? {},
      plan.body ?? {
        type: "error",
        error: { type: "test_error", message: "as planned" },
      },
    );
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const events = plan.raw ?? api.events(plan, body as never).join("");
  await stream(response, plan.pings === true ? withPings(events) : events, plan);
}

function answer(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function withPings(events: string): string {
  return events.split("\n\n").map((event, index) =>
    index % 2 === 0 ? `: ping ${index}\n\n${event}` : event
  ).join("\n\n");
}

async function stream(
  response: ServerResponse,
  text: string,
  { split, cut }: Extract<Plan, { say?: unknown }> & { split?: number; cut?: Cut },
): Promise<void> {
  const whole = Buffer.from(text);
  const bytes = cut === undefined ? whole : whole.subarray(0, cut.after);
  const size = split ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += size) {
    if (response.destroyed) return;
    await new Promise((done) => response.write(bytes.subarray(at, at + size), done));
    // A piece of its own on the other side too.
    if (split !== undefined) await new Promise((done) => setImmediate(done));
  }
  if (cut?.how === "hang") return;
  if (cut?.how === "reset") response.socket?.resetAndDestroy();
  else response.end();
}
