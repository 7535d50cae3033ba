import { describe, expect, it } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import { programOf, terminalHint } from "../../internal/mcp/stdio.ts";

describe("terminalHint()", () => {
  it("says what the program speaks, and gives lines that a client takes as they are", () => {
    const command = ["sion", "mcp", "--node", "http://127.0.0.1:8400"] as const;
    const hint = terminalHint("sion", command, ["/opt/node", "/opt/sion.js"]);
    expect(hint.split("\n")[0]).toBe(
      "sion mcp --node http://127.0.0.1:8400 speaks the Model Context Protocol on standard input, " +
        "for AI clients.",
    );
    expect(parseJson(hint.slice(hint.indexOf("{"), hint.lastIndexOf("}") + 1))).toEqual({
      mcpServers: {
        sion: {
          args: ["/opt/sion.js", "mcp", "--node", "http://127.0.0.1:8400"],
          command: "/opt/node",
        },
      },
    });
    expect(hint.endsWith("\n")).toBe(true);
    const elsewhere = terminalHint("sion", command, ["/opt/sion"], { SION_HOME: "/srv/sion" });
    expect(parseJson(elsewhere.slice(elsewhere.indexOf("{"), elsewhere.lastIndexOf("}") + 1)))
      .toMatchObject({ mcpServers: { sion: { env: { SION_HOME: "/srv/sion" } } } });
  });
});

describe("programOf()", () => {
  it("names the clone's script, the bundle with its runtime, or the single executable", () => {
    const node = "/usr/bin/node";
    expect(programOf("/home/me/sion/cmd/sion/main.ts", "/usr/bin/deno"))
      .toEqual(["/home/me/sion/scripts/sion"]);
    expect(programOf("/home/me/sion/.cache/source/sion.js", node))
      .toEqual(["/home/me/sion/scripts/sion"]);
    expect(programOf("/home/me/sion/cmd/sion-mcp/main.ts", "/usr/bin/deno"))
      .toEqual(["/home/me/sion/scripts/sion", "mcp"]);
    expect(programOf("/lib/node_modules/sion/dist/sion.js", node))
      .toEqual([node, "/lib/node_modules/sion/dist/sion.js"]);
    // npm's link is what stays where it is when the package is updated.
    expect(programOf("/usr/bin/sion", node, "/usr/lib/node_modules/sion/bin/sion.js"))
      .toEqual([node, "/usr/bin/sion"]);
    expect(programOf("/opt/sion", "/opt/sion")).toEqual(["/opt/sion"]);
    expect(programOf("/usr/bin/sion", "/opt/sion", "/opt/sion")).toEqual(["/opt/sion"]);
    expect(programOf("", "/opt/sion")).toEqual(["/opt/sion"]);
  });
});
