/**
 * Load on a node: presigned units of many wallets, so many in flight, each until a quorum of
 * validators has confirmed it. A wallet has one unit in flight at a time.
 */
import { utf8, utf8Text } from "#internal/core/mod.ts";
import { BYTES_TYPE, JSON_TYPE } from "#internal/rpc/mod.ts";
import type { HttpClient } from "#internal/runtime/mod.ts";
import { createHttpClient, sleep } from "#internal/runtime/mod.ts";
import { sendLanes } from "./_lanes.ts";
import type { ReadyUnit } from "./_units.ts";

/** Longest that one unit may take to its certificate, on however busy a machine, ms. */
const UNIT_LIMIT_MS = 180_000;
/** One long poll for it, ms: the most that a node waits. */
const POLL_MS = 30_000;

/** How a load is put on. */
export type LoadOptions = {
  /** As in `http://127.0.0.1:8400`. */
  readonly node: string;
  /** The units of each wallet, in order. */
  readonly lanes: readonly (readonly ReadyUnit[])[];
  /** Units that are on their way at once. */
  readonly inFlight: number;
  /** Not counted: the time in which the load builds up, ms. */
  readonly warmUpMs: number;
  /** How long is counted, ms. Ends earlier when no units are left. */
  readonly forMs: number;
  /** Goes on after `forMs`, uncounted, as long as this says so. @default never */
  readonly goOn?: () => boolean;
  /** `executed` waits for each receipt instead. @default final */
  readonly until?: "final" | "executed";
  /** Called when counting begins and when it ends. */
  readonly onWindow?: (edge: "begin" | "end") => Promise<void> | void;
};

/** What a load came to, in units. */
export type Load = {
  /** Certified within what was counted. */
  readonly counted: number;
  /** The time that was counted, ms. */
  readonly overMs: number;
  /** Sent and certified at all. */
  readonly sent: number;
  /** From the first sending to the last certificate, ms. */
  readonly takenMs: number;
  /** From sending to certificate, of those counted, ms. */
  readonly tookMs: readonly number[];
};

/** Puts the load on; resolves when everything sent is certified. @throws {Error} when a unit is not. */
export async function putLoad(options: LoadOptions): Promise<Load> {
  const { lanes, inFlight, warmUpMs, forMs } = options;
  using http = createHttpClient();
  const ends: { readonly atMs: number; readonly tookMs: number }[] = [];
  const startMs = performance.now();
  const beginMs = startMs + warmUpMs;
  const wantedMs = beginMs + forMs;
  const goesOn = (): boolean => performance.now() < wantedMs || options.goOn?.() === true;
  const send = async (unit: ReadyUnit): Promise<void> => {
    const sentMs = performance.now();
    await handIn(http, options.node, unit);
    await settled(http, options.node, unit, options.until ?? "final");
    const atMs = performance.now();
    ends.push({ atMs, tookMs: atMs - sentMs });
  };
  const begun = edge(options, "begin", warmUpMs);
  const ended = edge(options, "end", warmUpMs + forMs);
  await sendLanes({ lanes, inFlight, goesOn, send });
  await Promise.all([begun.now(), ended.now()]);
  const lastMs = Math.max(...ends.map(({ atMs }) => atMs));
  const inWindow = ends.filter(({ atMs }) => atMs >= beginMs && atMs <= wantedMs);
  // On a machine that is too busy to certify one in the time, the first ones are waited for.
  const counted = inWindow.length > 0 ? inWindow : ends.filter(({ atMs }) => atMs >= beginMs);
  return {
    counted: counted.length,
    // When the units run out, the rate is that of the time they lasted.
    overMs: (inWindow.length > 0 ? Math.min(wantedMs, lastMs) : lastMs) - beginMs,
    sent: ends.length,
    takenMs: lastMs - startMs,
    tookMs: counted.map(({ tookMs }) => tookMs),
  };
}

/** Calls `onWindow` after so long, or at `now()` if that comes first. */
function edge({ onWindow }: LoadOptions, which: "begin" | "end", ms: number) {
  let called: Promise<void> | undefined;
  const call = (): Promise<void> => {
    clearTimeout(timer);
    return called ??= Promise.resolve(onWindow?.(which));
  };
  const timer = onWindow === undefined ? undefined : setTimeout(() => void call(), ms);
  return { now: call };
}

type Answer = Readonly<Record<string, unknown>>;

/** One call of a node, unchecked: what a load costs the client is not the node's. */
export async function postJson(http: HttpClient, url: string, params: unknown): Promise<Answer> {
  return await post(http, url, utf8(JSON.stringify(params)));
}

async function post(
  http: HttpClient,
  url: string,
  body: Uint8Array,
  type: string = JSON_TYPE,
): Promise<Answer> {
  const headers = { "content-type": type };
  const timeoutMs = 2 * POLL_MS;
  const answer = await http.request({ url, method: "POST", headers, body, timeoutMs });
  return JSON.parse(utf8Text(answer.body)) as Answer;
}

async function handIn(http: HttpClient, node: string, { body }: ReadyUnit): Promise<void> {
  for (;;) {
    const answer = await post(http, `${node}/rpc/submit`, body, BYTES_TYPE);
    if (answer["answer"] === "accepted") return;
    const error = answer["error"] as { readonly code?: string } | undefined;
    if (error?.code !== "busy") {
      const { reason } = answer;
      throw new Error(`a unit was not taken: ${JSON.stringify(error ?? reason)}`);
    }
    await sleep(50);
  }
}

async function settled(
  http: HttpClient,
  node: string,
  { digest }: ReadyUnit,
  until: "final" | "executed",
): Promise<void> {
  const asked = { digest, until, wait_ms: POLL_MS };
  const endMs = performance.now() + UNIT_LIMIT_MS;
  for (;;) {
    const answer = await postJson(http, `${node}/rpc/receipt`, asked);
    if (answer["state"] === "executed" || answer["state"] === until) return;
    if (performance.now() < endMs && answer["state"] === "pending") continue;
    throw new Error(`a unit was not certified in time: ${JSON.stringify(answer)}`);
  }
}
