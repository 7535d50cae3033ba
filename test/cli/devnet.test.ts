/** What `sion devnet` says, run in this process. */
import { describe, expect, test } from "vitest";
import { logLine } from "../../internal/cli/commands/_server.ts";
import { command } from "../../internal/cli/commands/devnet.ts";
import type { CommandContext } from "../../internal/cli/context.ts";
import type { Output } from "../../internal/cli/output.ts";
import { temporaryFolder } from "../node/devnet_fixture.ts";

describe("sion devnet", () => {
  test("sion devnet that is interrupted while it starts does not say that it is ready", async () => {
    using folder = temporaryFolder();
    const said: unknown[] = [];
    const say = (...words: unknown[]): void => void said.push(words);
    const output: Partial<Output> = {
      stderr: { isTty: false } as Output["stderr"],
      waiting: (what) => void (what === undefined || say(what)),
      line: say,
      jsonLine: say,
      hint: say,
      note: say,
    };
    const context: Partial<CommandContext> = {
      program: { url: import.meta.url, origin: "source" },
      env: {},
      cwd: folder.path,
      home: folder.path,
      json: false,
      signal: AbortSignal.abort(),
      output: output as Output,
      onInterrupt() {},
    };
    const code = await command.run(context as CommandContext, {
      args: {},
      flags: {
        dir: undefined,
        listen: { host: "127.0.0.1", port: 0 },
        allowHost: [],
        validators: 1,
        shards: 1,
        epochPulses: undefined,
        insecureSignatures: true,
      },
    });
    expect({ code, said }).toEqual({ code: undefined, said: [] });
  });

  test("sion devnet tells what its node logs in words", () => {
    expect(logLine("warn", "Dropped a peer: it is of another chain")).toBe(
      "warning: Dropped a peer: it is of another chain",
    );
    expect(logLine("error", "A request failed inside", { reason: "x", validator: 2 })).toBe(
      "error: A request failed inside (reason x, validator 2)",
    );
  });

  test.each(["evil.example:80", "http://x", "", "a b", "-x"])(
    "sion devnet --allow-host takes names only: %j",
    (text) => {
      const { reader } = command.flags.allowHost;
      expect(() => reader?.read(text, "--allow-host")).toThrow(/is no host name/);
      expect(reader?.read("node.example", "--allow-host")).toBe("node.example");
    },
  );
});
