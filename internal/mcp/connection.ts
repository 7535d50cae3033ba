/**
 * One client's link: lines in, messages out. Calls run side by side and answer when they are done;
 * whatever is malformed is answered, and never breaks the link.
 */
import { type JsonValue, OUTSIDE_DEPTH, parseJson } from "#internal/core/mod.ts";
import { type Asking, createAsking } from "./asking.ts";
import {
  BATCH_VERSION,
  type Era,
  eraOf,
  legacy,
  type Method,
  type MethodCall,
  modern,
  type PeerLink,
  type Session,
} from "./eras/mod.ts";
import { featureMethods } from "./features/mod.ts";
import { changeMessage } from "./features/subscriptions.ts";
import {
  errorMessage,
  type Incoming,
  isObject,
  isRequestId,
  type JsonObject,
  notificationMessage,
  ProtocolError,
  readMessage,
  type RequestId,
  resultMessage,
} from "./json_rpc.ts";
import { createInFlight, type Flight, type Outcome } from "./in_flight.ts";
import { type Line, MAX_LINE_BYTES } from "./lines.ts";
import type { Change } from "./offers.ts";
import { InputRequired } from "./peer.ts";
import type { ToolProgress } from "./tool.ts";
import type { ToolServer } from "./tool_server.ts";

/** A client's link. */
export interface Connection {
  /** Takes a line. What answers it goes to `send`, at once or later. */
  receive(line: Line): void;
  /** The client sends no more: what only waits for things to happen ends. */
  inputEnded(): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** Aborts all that runs; what it answers is still sent. */
  abort(): void;
  /** Nothing is sent from now on. */
  close(): void;
}

/** A request's answer, or nothing when its client cancelled it. */
type Done = (answer: JsonObject | undefined) => void;

type Request = Extract<Incoming, { type: "request" }>;

/** Methods that run until they are cancelled or the client is gone. */
const LASTING: ReadonlySet<string> = new Set(["subscriptions/listen"]);

/** Opens a link to a server. `send` takes whole messages in order. */
export function connect(server: ToolServer, send: (message: JsonValue) => void): Connection {
  const session: Session = {
    legacyVersion: undefined,
    capabilities: {},
    logLevel: "info",
    subscribed: new Set(),
  };
  const inFlight = createInFlight();
  const asking = createAsking(send);
  const ended = new AbortController();
  const methods = { legacy: methodsOf(server, legacy), modern: methodsOf(server, modern) };
  const link: Link = { server, session, send, dispatch, asking, ended: ended.signal };
  const unwatch = server.offers.watch?.((change) => tellChange(change));

  const sendAnswer: Done = (answer) => {
    if (answer !== undefined) send(answer);
  };

  function tellChange(change: Change): void {
    if (change.what === "tools") server.toolsChanged();
    // Later clients ask for what they want to hear of.
    if (session.legacyVersion === undefined) return;
    if (change.what === "resource" && !session.subscribed.has(change.uri)) return;
    const { method, params } = changeMessage(change);
    send(notificationMessage(method, params));
  }

  function receive(line: Line): void {
    if (line.type === "line" && line.text.trim() === "") return;
    let value: JsonValue;
    try {
      value = valueOf(line);
    } catch (error) {
      send(errorMessage(null, error));
      return;
    }
    if (Array.isArray(value)) receiveBatch(value as readonly JsonValue[], session, link);
    else dispatch(readMessage(value), sendAnswer);
  }

  function dispatch(message: Incoming, done: Done): void {
    switch (message.type) {
      case "request":
        return start(message, done);
      case "invalid":
        return done(errorMessage(message.id, message.error));
      case "notification":
        if (message.method === "notifications/cancelled") cancel(message.params["requestId"]);
        return done(undefined);
      case "answer":
        asking.answer(message);
        return done(undefined);
      case "ignored":
        return done(undefined);
    }
  }

  function cancel(id: JsonValue | undefined): void {
    if (isRequestId(id)) inFlight.cancel(id);
  }

  function start(request: Request, done: Done): void {
    const { id, method, params } = request;
    // An answer under an id that still runs would be taken for that request's.
    const named = inFlight.has(id) ? null : id;
    try {
      const flight = inFlight.open(id);
      const era = eraOf(method, params);
      era.check(params);
      const run = methods[era.name].get(method);
      if (run === undefined) {
        throw new ProtocolError("method-not-found", `method not found: ${method}`);
      }
      const result = run(callOf(request, { ...link, era, flight }));
      if (result instanceof Promise) flight.take(result, (outcome) => done(answerOf(id, outcome)));
      else done(resultMessage(id, result));
    } catch (error) {
      done(errorMessage(named, error));
    }
  }

  return {
    receive,
    inputEnded() {
      ended.abort();
      asking.end();
    },
    idle: inFlight.idle,
    abort: inFlight.abort,
    close: () => unwatch?.(),
  };
}

/** What the parts of one connection share. */
interface Link {
  readonly server: ToolServer;
  readonly session: Session;
  readonly send: (message: JsonValue) => void;
  readonly dispatch: (message: Incoming, done: Done) => void;
  readonly asking: Asking;
  /** Aborted when the client sends no more. */
  readonly ended: AbortSignal;
}

/** Takes a line of several messages, whose answers are one line too. */
function receiveBatch(
  values: readonly JsonValue[],
  { legacyVersion }: Session,
  { send, dispatch }: Link,
): void {
  if (legacyVersion !== BATCH_VERSION || values.length === 0) {
    const why = values.length === 0 ? "the batch is empty" : "a line holds one message";
    send(errorMessage(null, new ProtocolError("invalid-request", `invalid request: ${why}`)));
    return;
  }
  const answers: JsonObject[] = [];
  let open = values.length;
  const done: Done = (answer) => {
    if (answer !== undefined) answers.push(answer);
    open -= 1;
    if (open === 0 && answers.length > 0) send(answers);
  };
  for (const value of values) {
    const message = readMessage(value);
    if (message.type === "request" && message.method === "initialize") {
      const why = "invalid request: initialize is not part of a batch";
      done(errorMessage(message.id, new ProtocolError("invalid-request", why)));
    } else dispatch(message, done);
  }
}

/** What a method is called with. */
function callOf(
  { id, method, params }: Request,
  link: Link & { readonly era: Era; readonly flight: Flight },
): MethodCall {
  const { server, session, send, asking, ended, era, flight } = link;
  const notify: MethodCall["notify"] = (method, params) => {
    if (flight.isRunning()) send(notificationMessage(method, params));
  };
  const progress = progressOf(params, flight, send);
  const signal = LASTING.has(method) ? AbortSignal.any([flight.signal, ended]) : flight.signal;
  const request: PeerLink["request"] = (method, params) =>
    asking.ask(method, params, flight.signal);
  const peer = era.peer({ method, params, session, notify, request });
  const context = { signal, peer, ...(progress ? { progress } : {}) };
  return { id, era: era.name, server, session, params, context, notify };
}

/** All methods of an era that a server has, finished as that era wants it. */
function methodsOf(server: ToolServer, era: Era): ReadonlyMap<string, Method> {
  const offered = [...featureMethods(server, era.name)].map(
    ([name, { run, cacheable = false }]) => {
      const finished: Method = async (call) => era.finish(server, await run(call), cacheable);
      return [name, finished] as const;
    },
  );
  return new Map([...offered, ...era.methods].map(([name, run]) => [name, withRounds(name, run)]));

  function withRounds(name: string, run: Method): Method {
    return (call) => {
      const result = run(call);
      if (!(result instanceof Promise)) return result;
      return result.catch((thrown: unknown) => {
        if (!(thrown instanceof InputRequired)) throw thrown;
        return era.roundOf(server, { method: name, params: call.params }, thrown);
      });
    };
  }
}

function answerOf(id: RequestId, outcome: Outcome | undefined): JsonObject | undefined {
  if (outcome === undefined) return undefined;
  return outcome.status === "fulfilled"
    ? resultMessage(id, outcome.value)
    : errorMessage(id, outcome.reason);
}

function valueOf(line: Line): JsonValue {
  switch (line.type) {
    case "too-long": {
      const message = `invalid request: a line has at most ${MAX_LINE_BYTES} bytes`;
      throw new ProtocolError("invalid-request", message);
    }
    case "not-utf8":
      throw new ProtocolError("parse", "parse error: the line is not UTF-8");
    case "line":
      try {
        return parseJson(line.text, { maxDepth: OUTSIDE_DEPTH });
      } catch (cause) {
        const message = cause instanceof Error && cause.message.includes("deeper")
          ? `parse error: the line is nested deeper than ${OUTSIDE_DEPTH}`
          : "parse error: the line is not JSON";
        throw new ProtocolError("parse", message, { cause });
      }
  }
}

/** What reports progress to the token the client gave; undefined when it gave none. */
function progressOf(
  params: JsonObject,
  flight: Flight,
  send: (message: JsonValue) => void,
): ((progress: ToolProgress) => void) | undefined {
  const meta = params["_meta"];
  const progressToken = isObject(meta) ? meta["progressToken"] : undefined;
  if (!isRequestId(progressToken)) return undefined;
  let last = -Infinity;
  return ({ progress, total, message }) => {
    // The protocol wants progress to rise, and none after the answer.
    if (!flight.isRunning() || !(progress > last)) return;
    last = progress;
    send(
      notificationMessage("notifications/progress", { message, progress, progressToken, total }),
    );
  };
}
