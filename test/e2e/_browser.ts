/** A real Chromium without a window, of a profile of its own, and what pages owe to everybody. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { partPath } from "../parts.ts";

/** A browser that talks to nobody but the page's server. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser; disposing of it ends it and removes its profile. */
export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What pages did that they must not: errors, refused parts, requests to elsewhere. */
  readonly faults: string[];
}

/** Starts Chromium. @param origin where all requests must go */
export async function startBrowser(origin: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "sion-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: partPath("chromium"),
    headless: true,
    args: FLAGS,
    serviceWorkers: "block",
    viewport: { width: 1100, height: 900 },
  });
  const faults: string[] = [];
  const page = context.pages()[0] ?? await context.newPage();
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // What a status of the server's leads to is no fault of the page.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request: ${request.url()}`);
  });
  return {
    context,
    page,
    faults,
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What of a page as it is shown now somebody could not read or reach, each as a line. */
export async function unreadable(page: Page): Promise<string[]> {
  return await page.evaluate(findFaults);
}

/** Runs in the page. Rules of WCAG 2.2: 1.3.1, 1.4.3, 1.4.10, 2.4.2, 2.4.6, 2.4.7, 2.5.8, 3.1.1, 4.1.2, 4.1.3. */
function findFaults(): string[] {
  const faults: string[] = [];
  const shown = (element: Element): string =>
    `${element.tagName.toLowerCase()} "${(element.textContent ?? "").trim().slice(0, 40)}"`;
  const channels = (color: string): number[] =>
    (color.match(/[\d.]+/g) ?? ["0", "0", "0", "0"]).map(Number);
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = channels(color).slice(0, 3).map((part) => {
      const c = part / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a: string, b: string): number => {
    const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const groundOf = (element: Element): string => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 1) > 0) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const { documentElement: root } = document;
  if (root.scrollWidth > root.clientWidth) {
    faults.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
  }
  if (root.lang !== "en" || document.title === "") faults.push("language or title is missing");
  const headings = [...document.querySelectorAll("h1, h2, h3, h4")];
  if (headings.filter(({ tagName }) => tagName === "H1").length !== 1) faults.push("not one h1");
  headings.reduce((before, heading) => {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) faults.push(`${shown(heading)} skips a level`);
    return level;
  }, 0);
  const live = [...document.querySelectorAll("[aria-live], [role=status], [role=alert]")];
  if (live.length !== 1 || live[0]?.getAttribute("aria-live") !== "polite") {
    faults.push(`${live.length} live regions`);
  }
  for (const name of ["main", "header", "footer", "nav"]) {
    if (document.querySelector(name) === null) faults.push(`there is no ${name}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  for (const id of ids.filter((one, at) => ids.indexOf(one) !== at)) faults.push(`id ${id} twice`);
  if (document.querySelector("[style], style, [onclick], script:not([src])") !== null) {
    faults.push("something is inline");
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement as Element;
    if ((node.textContent ?? "").trim() === "" || element.closest("script, .heard, [hidden]")) {
      continue;
    }
    if (element.checkVisibility() === false) continue;
    const style = getComputedStyle(element);
    const inDrawing = element.tagName === "text";
    const ink = inDrawing ? style.fill : style.color;
    const box = element.previousElementSibling;
    const ground = inDrawing && box !== null ? getComputedStyle(box).fill : groundOf(element);
    const found = ratio(ink, ground);
    if (found < 4.5) faults.push(`${shown(element)} has a contrast of ${found.toFixed(2)}`);
    if (Number.parseFloat(style.fontSize) < 12) faults.push(`${shown(element)} is small`);
  }
  const reached = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, summary, [tabindex]",
  );
  for (const element of reached) {
    if (element.checkVisibility() === false || element.closest("[hidden]") !== null) continue;
    const label = element.getAttribute("aria-label") ?? element.textContent ??
      "";
    const labelled = element instanceof HTMLInputElement && (element.labels?.length ?? 0) > 0;
    if (label.trim() === "" && !labelled) faults.push(`${shown(element)} has no name`);
    if (element.tabIndex < 0) continue;
    const before = getComputedStyle(element).outlineStyle;
    element.focus();
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) {
      faults.push(`${shown(element)} has no visible focus (${before}, ${outlineStyle})`);
    }
    const edge = ratio(outlineColor, groundOf(element.parentElement ?? element));
    if (edge < 3) {
      faults.push(`the focus of ${shown(element)} has a contrast of ${edge.toFixed(2)}`);
    }
    const { height } = element.getBoundingClientRect();
    if (/^(BUTTON|INPUT)$/.test(element.tagName) && height < 24) {
      faults.push(`${shown(element)} is ${height} high`);
    }
  }
  (document.activeElement as HTMLElement | null)?.blur();
  return [...new Set(faults)];
}
