/** What time it is at a server. */

/**
 * The time that an HTTP server says it answered at (RFC 9110, section 6.6.1), ms since the Unix epoch, to
 * the second; undefined where it says none.
 * @throws what `fetch` throws, or the signal's reason
 */
export async function serverTimeMs(url: string, signal: AbortSignal): Promise<number | undefined> {
  const answer = await fetch(url, { method: "HEAD", redirect: "manual", signal });
  await answer.body?.cancel();
  const ms = Date.parse(answer.headers.get("date") ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
