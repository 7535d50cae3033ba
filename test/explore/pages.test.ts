import { readdirSync } from "node:fs";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { pages } from "../../internal/explore/pages/mod.ts";
import { liveScript } from "../../internal/explore/live_script.ts";

const folder = new URL("../../internal/explore/pages/", import.meta.url);

describe("pages", () => {
  it("pages has every file of its folder, each at an address of its own", async () => {
    const files = readdirSync(folder).filter((file) => !/^(_|mod\.ts$)/.test(file)).sort();
    const loaded = await Promise.all(
      files.map(async (file) =>
        (await import(new URL(file, folder).href) as { page: unknown }).page
      ),
    );
    expect(pages).toEqual(loaded);
    const paths = pages.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(path).toMatch(/^\/([a-z]+(\/:)?)?$/);
  });
});

describe("liveScript()", () => {
  it("liveScript() is a script by itself: it names nothing that is not in it or in a browser", () => {
    const script = liveScript();
    const parsed = new Script(script);
    expect(script).not.toMatch(/\b(import|export|require|__vite|__name|eval)\b/);
    // Without a window it fails at its first use of one, and at nothing before.
    expect(() => parsed.runInNewContext({}) as unknown).toThrow(/window/);
  });
});
