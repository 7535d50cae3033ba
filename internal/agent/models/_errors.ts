/**
 * Errors of the vendors' clients as errors of models: what kind it is, whether and when the same
 * request is worth making again, and one sentence without the key in it.
 */
import { escapeLine, messageOf, MIN_REDACTED_LENGTH, SionError } from "#internal/core/mod.ts";
import { type Again, ModelError, type ModelErrorCode } from "./_model.ts";

/** What the clients' errors have in common. */
interface ApiError {
  readonly status?: number;
  readonly headers?: { get(name: string): string | null };
  /** The body, or what an event of the stream held. */
  readonly error?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

/** Characters of a provider's own words that are shown. */
const SHOWN_LENGTH = 300;

/** Words of providers for a conversation that is too long. Each is of one that says it so. */
const TOO_LONG: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic
  /exceed(s|ed)? (the )?(model's )?(maximum )?(context|available context)/i, // Anthropic, llama.cpp
  /context.length.exceeded/i, // OpenAI
  /maximum (context|prompt|input) length/i, // OpenAI, vLLM, Mistral
  /input (is too long|token count)/i, // Bedrock, Gemini
  /exceeds? the (context|maximum number of tokens)/i, // OpenAI, Gemini
  /context (window|size|length|overflow)/i, // Ollama, LM Studio
  /too many (input )?tokens/i,
];

const NO_CREDIT = /insufficient_quota|credit balance|billing|exceeded your current quota/i;

/** Codes in a stream or a body, where the status does not say it. */
const CODES: { readonly [code: string]: number } = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  timeout_error: 504,
  server_error: 500,
  server_is_overloaded: 503,
  slow_down: 503,
  authentication_error: 401,
  permission_error: 403,
  billing_error: 402,
  not_found_error: 404,
  request_too_large: 413,
  invalid_request_error: 400,
};

/**
 * What an error of a client's comes to.
 * @param name the model, as `--model` has it
 * @param secrets cut out of every word
 */
export function modelErrorOf(
  name: string,
  thrown: unknown,
  secrets: readonly string[],
): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const make = (code: ModelErrorCode, says: string, again?: Again) =>
    new ModelError(code, shown(`${name} ${says}`, secrets), {
      ...(again === undefined ? {} : { again }),
    });
  const tooLarge = causeOf(thrown, "answer-too-large");
  if (tooLarge !== undefined) return make("too-large", `gave no answer: ${tooLarge}`);
  const whole = wholeAnswerIn(thrown);
  if (whole !== undefined) return make("refused", `answers in one piece, not with events${whole}`);
  const { status = statusIn(thrown), headers } = thrown as ApiError;
  const detail = detailOf(thrown);
  const told = (text: string) => detail === "" ? text : `${text}: ${detail}`;
  if (isTooLong(status, thrown, detail)) return make("context", told("cannot read so much"));
  const later: Again = againAfter(headers);
  switch (status) {
    case undefined:
      // What an event of the stream said went wrong, in words that nothing here knows.
      if (codesOf(thrown).length > 0) return make("refused", told("failed"));
      if (isOfReading(thrown)) return notUnderstood(name);
      return make("unreachable", `cannot be reached: ${reasonOf(thrown)}`, {});
    case 401:
    case 403:
      return make("credential", told(`does not take the key (${status})`));
    case 402:
      return make("refused", told("has no credit left (402)"));
    case 404:
      return make("refused", told("is not known there (404)"));
    case 408:
    case 409:
    case 425:
      return make("unreachable", `did not answer in time (${status})`, later);
    case 429:
      return NO_CREDIT.test(`${codesOf(thrown).join(" ")} ${detail}`)
        ? make("refused", told("has no credit left (429)"))
        : make("overloaded", "takes no more requests for now (429)", later);
    case 503:
    case 529:
      return make("overloaded", `is overloaded (${status})`, later);
  }
  if (status >= 500) return make("overloaded", `failed (${status})`, later);
  if (status >= 300 && status < 400) {
    return make("refused", `answers from elsewhere (${status}): give the address it leads to`);
  }
  return make("refused", told(`does not take the request (${status})`));
}

/** True of what a client breaks on that reads an answer of another form; connections say it otherwise. */
function isOfReading(thrown: unknown): boolean {
  if (thrown instanceof SyntaxError) return true;
  return thrown instanceof TypeError &&
    /^Cannot (read|set) properties of |is not (iterable|a function)/.test(thrown.message);
}

/** What an answer comes to that is not of the form of its interface. */
export function notUnderstood(name: string): ModelError {
  return new ModelError("unreachable", `${name} gave an answer that is not of its interface`, {
    again: { tries: 2 },
  });
}

/** A page or one value of JSON where a stream of events was asked for, whatever its status says. */
export class WholeAnswer extends Error {
  /** The body. */
  readonly error: unknown;

  constructor(error: unknown) {
    super("The answer is no stream of events");
    this.error = error;
  }
}

/** Whether a media type is of one. */
export function isOfWhole(mediaType: string | null): boolean {
  return /^(?:text\/html|application\/json)\b/i.test(mediaType ?? "");
}

/** What such an answer says of itself, in JSON: a page of a login or of a proxy would be noise. */
function wholeAnswerIn(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (!(error instanceof WholeAnswer)) continue;
    const { message } = bodyOf(error);
    return typeof message === "string" ? `: ${message}` : "";
  }
  return undefined;
}

/** Which of the offered tools a provider did not take, by its place in the request. */
export function refusedTool(thrown: unknown): number | undefined {
  if ((thrown as ApiError).status !== 400) return undefined;
  const match = /\btools(?:\.|\[)(\d{1,4})/.exec(detailOf(thrown));
  return match === null ? undefined : Number(match[1]);
}

/** A sentence in one line, without secrets, of bounded length. */
function shown(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_REDACTED_LENGTH) clean = clean.replaceAll(secret, "…");
  }
  const cut = clean.length > SHOWN_LENGTH
    ? `${clean.slice(0, SHOWN_LENGTH).toWellFormed()}…`
    : clean;
  return escapeLine(cut.replace(/[\s.]+$/, ""));
}

function isTooLong(status: number | undefined, thrown: unknown, detail: string): boolean {
  if (status === 413) return true;
  const codes = codesOf(thrown).join(" ");
  if (/context_length_exceeded|exceed_context_size/.test(codes)) return true;
  return (status === 400 || status === 422 || status === undefined) &&
    TOO_LONG.some((words) => words.test(detail));
}

/** The error object in a body, wherever the client put it. */
function bodyOf(thrown: unknown): Readonly<Record<string, unknown>> {
  const body = (thrown as ApiError).error;
  if (body === null || typeof body !== "object") return {};
  const inner = (body as { error?: unknown }).error;
  return (inner !== null && typeof inner === "object" ? inner : body) as Record<string, unknown>;
}

function codesOf(thrown: unknown): readonly string[] {
  const { code, type } = thrown as ApiError;
  const body = bodyOf(thrown);
  return [code, type, body["code"], body["type"]].filter((one) => typeof one === "string");
}

function statusIn(thrown: unknown): number | undefined {
  for (const code of codesOf(thrown)) {
    if (Object.hasOwn(CODES, code)) return CODES[code];
  }
  const { code } = bodyOf(thrown);
  return typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
}

function detailOf(thrown: unknown): string {
  const { message } = bodyOf(thrown);
  if (typeof message === "string") return message;
  const body = (thrown as ApiError).error;
  if (typeof body === "string") return body;
  return (thrown as ApiError).status === undefined ? messageOf(thrown) : "";
}

/** What the system says of a connection that was not made. */
type ConnectionError = NodeJS.ErrnoException & {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
};

/** What a connection died of, as far as the causes tell, with the place that was meant. */
function reasonOf(thrown: unknown): string {
  let reason = messageOf(thrown);
  let place: string | undefined;
  for (let cause = (thrown as Error).cause; cause instanceof Error; cause = cause.cause as Error) {
    // Of a name with several addresses each was tried.
    const [one = cause] = cause instanceof AggregateError ? cause.errors as Error[] : [cause];
    const { code, message, hostname, address, port } = one as ConnectionError;
    reason = code ?? message;
    place = hostname ?? (address === undefined ? place : addressed(address, port));
  }
  const said = Object.hasOwn(SAID_PLAINLY, reason) ? SAID_PLAINLY[reason] ?? reason : reason;
  return place === undefined ? said : `${said} (${place})`;
}

function addressed(address: string, port: number | undefined): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

/** What our client of streams and Node's have codes of their own for. */
const SAID_PLAINLY: { readonly [code: string]: string } = {
  lost: "the connection broke off",
  timeout: "it did not begin to answer in time",
  ECONNREFUSED: "nothing answers there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its host is not found now",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_HEADERS_OVERFLOW: "the head of its answer is too long",
  UND_ERR_CONNECT_TIMEOUT: "no connection was made in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not begin to answer in time",
  UND_ERR_BODY_TIMEOUT: "it stopped in the middle of its answer",
};

function causeOf(thrown: unknown, code: string): string | undefined {
  for (let at: unknown = thrown; at instanceof Error; at = at.cause) {
    if (at instanceof SionError && at.code === code) return at.message;
  }
  return undefined;
}

/** The wait that the headers ask for: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function againAfter(headers: ApiError["headers"]): Again {
  const ms = Number(headers?.get("retry-after-ms") ?? NaN);
  if (ms >= 0) return { afterMs: ms };
  const after = headers?.get("retry-after") ?? "";
  if (after === "") return {};
  const seconds = Number(after);
  if (seconds >= 0) return { afterMs: seconds * 1_000 };
  const until = Date.parse(after);
  const sent = Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(until) || Number.isNaN(sent) ? {} : { afterMs: Math.max(0, until - sent) };
}
