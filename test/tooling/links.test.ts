/** Links between the project's pages lead somewhere, and the README leads to every guide. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/_project.ts";

const pages = [
  ...globSync("*.md", { cwd: ROOT }),
  ...globSync("{docs,examples,.github}/**/*.md", { cwd: ROOT }),
].sort();

/** A page without what stands in fences, which is no text of the page. */
function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8").replaceAll(/^ *(```+)[\s\S]*?^ *\1$/gm, "");
}

/** As GitHub makes anchors of headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of textOf(path).matchAll(/^#{1,6} +(.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\- _]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Targets of a page's links that are of this repository. */
function linksOf(path: string): readonly string[] {
  return [...textOf(path).replaceAll(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

it("every link between pages leads to a file, and to a heading that is in it", () => {
  const broken = pages.flatMap((path) =>
    linksOf(path).filter((target) => {
      const [file, anchor] = target.split("#") as [string, string?];
      const to = file === "" ? path : relative(ROOT, join(ROOT, dirname(path), file));
      if (!existsSync(join(ROOT, to))) return true;
      return anchor !== undefined && !anchorsOf(to).has(anchor);
    }).map((target) => `${path}: ${target}`)
  );
  expect(broken).toEqual([]);
});

it("the README leads to every guide, reference page and decision, at most over one other page", () => {
  const direct = new Set(
    linksOf("README.md").map((target) => target.split("#")[0] as string),
  );
  const near = new Set(
    [...direct].filter((path) => path.endsWith(".md")).flatMap((path) =>
      linksOf(path).map((target) =>
        relative(ROOT, join(ROOT, dirname(path), target.split("#")[0] as string))
      )
    ),
  );
  const guides = pages.filter((path) => path.startsWith("docs/guides/"));
  expect(guides.filter((path) => !direct.has(path))).toEqual([]);
  const others = pages.filter((path) => /^docs\/(reference|decisions|protocol)\//.test(path));
  expect(others.filter((path) => !direct.has(path) && !near.has(path))).toEqual([]);
});
