import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import type { AnyCommand } from "../../internal/cli/command.ts";
import { allFlags, flagName } from "../../internal/cli/command.ts";
import { commandPaths, loadCommand, loadCommands } from "../../internal/cli/commands/mod.ts";
import { gatewayProgram } from "../../internal/cli/gateway_program.ts";
import { findCommand, parseInput } from "../../internal/cli/parse.ts";

describe("findCommand()", () => {
  it("findCommand() takes any words for a command, help, the version or an error", () => {
    const word = fc.oneof(
      fc.constantFrom(...commandPaths.flatMap((path) => path.split(" "))),
      fc.constantFrom("--help", "-h", "--version", "--", "-", "--json", "__proto__", "constructor"),
      fc.string(),
    );
    fc.assert(fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const found = outcomeOf(() => findCommand(words, commandPaths));
      if (found instanceof SionError) expect(found.message).toMatch(/: /);
      else if (found.kind === "command") expect(commandPaths).toContain(found.path);
    }));
  });
});

describe("parseInput()", () => {
  it("parseInput() takes any words for an input or an error of one line", async () => {
    const commands = await loadCommands();
    const word = fc.oneof(
      fc.constantFrom("alice", "1.5", "-1", "-", "--", "10/day", "30d", "ab".repeat(32)),
      fc.constantFrom(...commands.flatMap((one) => Object.keys(allFlags(one)).map(flagName))),
      fc.string(),
    );
    const anyCommand = fc.constantFrom(...commands);
    fc.assert(fc.property(anyCommand, fc.array(word, { maxLength: 8 }), (command, words) => {
      const found = outcomeOf(() => parseInput(command, words));
      if (found instanceof SionError) expect(found.message).toMatch(/: /);
      else expect(Object.keys(found.flags)).toEqual(Object.keys(command.flags as object));
    }));
  });

  it.each([
    ["events --from 5 --limit=2 --json", { from: 5, limit: 2, follow: false }],
    ["events --follow", { from: undefined, limit: undefined, follow: true }],
    ["charter narrow a b --payee x --payee=y", { payee: ["x", "y"], receipts: false }],
    ["charter narrow a b --refill 0.5/12h", {
      refill: { amount: 500_000n, periodMs: 43_200_000n },
    }],
    ["charter narrow a b --expires 30d", { expires: { pulses: 2_592_000, time: "30d" } }],
    ["charter narrow a b --expires 7", { expires: { pulses: 7, time: undefined } }],
    ["charter pay a b c d 1 --purpose=--x", { purpose: "--x" }],
  ])("parseInput() reads %s", async (line, flags) => {
    expect((await parse(line)).flags).toMatchObject(flags);
  });

  it("parseInput() takes a variable in the place of its option, and an option before it", async () => {
    const gateway = await gatewayProgram();
    const env = { SION_GATEWAY_PRICE: "0.5", SION_GATEWAY_PAY_TO: "bob", SION_GATEWAY_ORIGIN: "" };
    expect(parseInput(gateway, [], env).flags).toMatchObject({
      price: 500_000n,
      payTo: "bob",
      origin: undefined,
    });
    expect(parseInput(gateway, ["--pay-to", "carol"], env).flags).toMatchObject({ payTo: "carol" });
    const serve = await loadCommand("x402 serve");
    expect(() => parseInput(serve, [], env)).toThrow("sion x402 serve needs --price: ");
  });

  it("parseInput() takes what stands after -- as it is", async () => {
    const command = await loadCommand("balance");
    expect(parseInput(command, ["--", "--json"]).args).toEqual({ account: "--json" });
  });
});

async function parse(line: string) {
  const found = findCommand(line.split(" "), commandPaths);
  if (found.kind !== "command") throw new Error(`${line} is no command`);
  return parseInput(await loadCommand(found.path) as AnyCommand, found.words);
}

/** What a function answers, or the error of ours that it throws. */
function outcomeOf<T>(body: () => T): T | SionError {
  try {
    return body();
  } catch (error) {
    if (error instanceof SionError) return error;
    throw error;
  }
}
