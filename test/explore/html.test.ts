import { describe, expect, it } from "vitest";
import type { Part } from "../../internal/explore/html.ts";
import { markup } from "../../internal/explore/html.ts";
import { prose, raw } from "../../internal/explore/words.ts";

describe("markup``", () => {
  it("markup`` escapes every value that is none of its own, in elements and attributes", () => {
    const text = `<b>"it's" & more</b>`;
    expect(markup`<a title="${text}">${text}</a>`.toString()).toBe(
      '<a title="&lt;b&gt;&quot;it&#39;s&quot; &amp; more&lt;/b&gt;">' +
        "&lt;b&gt;&quot;it&#39;s&quot; &amp; more&lt;/b&gt;</a>",
    );
  });

  it("markup`` takes markup, lists and numbers as they are, and shows nothing for what is not there", () => {
    const items: Part[] = ["a", markup`<i>b</i>`, 3, 4n, [false, null, undefined, "c"]];
    expect(markup`<p>${items}${undefined}</p>`.toString()).toBe("<p>a<i>b</i>34c</p>");
  });

  it("markup`` shows what would reorder or hide text, and keeps it in one line", () => {
    expect(markup`${"pay \u202Eecila\u0007\n<"}`.toString()).toBe(
      "pay \\u202eecila\\u0007\\n&lt;",
    );
  });
});

describe("prose()", () => {
  it("prose() marks what is typed, and escapes that too", () => {
    expect(prose("start one with `sion <devnet>`, or not").toString()).toBe(
      "start one with <code>sion &lt;devnet&gt;</code>, or not",
    );
  });
});

describe("raw()", () => {
  it("raw() keeps the lines of JSON, and nothing in a string is markup", () => {
    expect(raw("Raw", { a: "</pre><script>", n: 9007199254740993n }).toString()).toContain(
      '<pre tabindex="0">{\n' +
        "  &quot;a&quot;: &quot;&lt;/pre&gt;&lt;script&gt;&quot;,\n" +
        "  &quot;n&quot;: 9007199254740993\n}\n</pre>",
    );
  });
});
