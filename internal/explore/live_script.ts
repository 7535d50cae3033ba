/// <reference lib="dom" />
/**
 * What runs in the browser: it keeps the parts of a page that change up to date, and says so once for
 * whoever listens. The pages say all they say without it.
 *
 * Its functions are sent as their own text, so they use nothing but each other and what a browser has.
 */

/** `/live.js`. */
export function liveScript(): string {
  const parts = [replacePart, tellAges, startFollowing].map((part) => part.toString());
  return `"use strict";{${parts.join("\n")}\n${startFollowing.name}(window);}`;
}

type BrowserWindow = Window & typeof globalThis;

/** Puts what is new of a part in the place of what is old; focus and opened details stay. */
function replacePart(document: Document, old: Element, fresh: Element): void {
  const active = document.activeElement;
  const held = active !== null && old.contains(active) ? active : undefined;
  const href = held?.getAttribute("href") ?? undefined;
  const linksOf = (part: Element): Element[] =>
    [...part.querySelectorAll("a")].filter((link) => link.getAttribute("href") === href);
  const place = held === undefined ? -1 : linksOf(old).indexOf(held);
  for (const details of old.querySelectorAll("details[id]")) {
    const other = fresh.querySelector(`#${details.id}`);
    other?.toggleAttribute("open", details.hasAttribute("open"));
  }
  const put = document.adoptNode(fresh);
  old.replaceWith(put);
  if (held === undefined) return;
  const same = href === undefined ? document.getElementById(held.id) : linksOf(put)[place];
  const next = (same ?? document.getElementById("main")) as HTMLElement | null;
  next?.focus({ preventScroll: true });
}

/** Writes how long ago things were that say when they were. */
function tellAges(document: Document, nowMs: number): void {
  for (const age of document.querySelectorAll<HTMLElement>("[data-at]")) {
    const seconds = Math.max(0, Math.round((nowMs - Number(age.dataset["at"])) / 1_000));
    const text = seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
    if (age.textContent !== text) age.textContent = text;
  }
}

/** Follows the news of the chain in a page. */
function startFollowing(window: BrowserWindow): void {
  const { document } = window;
  const find = (id: string): HTMLElement | null => document.getElementById(id);
  let source: EventSource | undefined;
  let isPaused = false;
  let isAsking = false;
  let isAskedAgain = false;
  let saidMs = -Infinity;

  // The one live region: a paragraph in ten seconds at most, but at once what must not be missed.
  const say = (text: string, isUrgent: boolean): void => {
    const nowMs = window.performance.now();
    const region = find("said");
    if (region === null || (!isUrgent && nowMs - saidMs < 10_000)) return;
    saidMs = nowMs;
    region.textContent = text;
  };

  const refresh = async (): Promise<void> => {
    isAskedAgain = isAsking;
    if (isAsking) return;
    isAsking = true;
    try {
      const answer = await window.fetch(window.location.href, { cache: "no-store" });
      const page = new window.DOMParser().parseFromString(await answer.text(), "text/html");
      // A server that is asked too often answers with no page.
      if (page.getElementById("asof") === null) return;
      const parts = [...document.querySelectorAll("[data-live]")];
      // What became another page, since it could not be made before or is of something that has
      // come to an end, is there as a whole.
      const isOther = find("waits") !== null ||
        parts.some(({ id }) => page.getElementById(id) === null);
      if (isOther && page.getElementById("waits") === null) return window.location.reload();
      for (const part of parts) {
        const fresh = page.getElementById(part.id);
        if (fresh !== null && fresh.outerHTML !== part.outerHTML) {
          replacePart(document, part, fresh);
        }
      }
      showPause();
    } catch {
      // The server is gone: the stream of news finds out and says so.
    } finally {
      isAsking = false;
    }
    if (isAskedAgain) await refresh();
  };

  const connection = (isLost: boolean, text: string): void => {
    const lost = find("lost");
    if (lost === null || lost.hidden !== isLost) return;
    lost.hidden = !isLost;
    say(text, true);
  };

  const listen = (): void => {
    source = new window.EventSource("/live");
    source.onopen = () => {
      connection(false, "Connected again.");
      void refresh();
    };
    source.onerror = () => connection(true, find("lost")?.textContent ?? "");
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const news = JSON.parse(data) as { readonly said: string; readonly urgent: boolean };
      if (news.said !== "") say(news.said, news.urgent);
      void refresh();
    };
  };

  // A page that nobody sees holds no connection: browsers have few of them for one server.
  const follow = (): void => {
    if (isPaused || document.visibilityState !== "visible") source?.close();
    else if (source === undefined || source.readyState === window.EventSource.CLOSED) listen();
  };

  const showPause = (): void => {
    const pause = find("pause");
    if (pause === null) return;
    pause.hidden = false;
    pause.textContent = isPaused ? "Go on" : "Pause";
    pause.onclick = () => {
      isPaused = !isPaused;
      showPause();
      say(isPaused ? "Paused: nothing changes on the page." : "Going on.", true);
      follow();
    };
  };

  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", () => source?.close());
  window.addEventListener("pageshow", ({ persisted }) => persisted && follow());
  window.setInterval(() => tellAges(document, Date.now()), 1_000);
  showPause();
  follow();
}
