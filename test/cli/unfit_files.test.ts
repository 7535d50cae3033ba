/** What commands say of wallets' files that are not as they should be. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

describe("sion with unfit files", () => {
  const bench = useBench();
  const at = (name: string): string => join(bench.home, "wallets", name);

  it("wallet list shows the good wallets and names the bad ones on stderr", async () => {
    await bench.sion("wallet", "new", "savings");
    writeFileSync(at("broken"), "no seed\n", { mode: 0o600 });
    mkdirSync(at("folder"));
    symlinkSync("/dev/zero", at("zeros"));
    symlinkSync(at("none"), at("nowhere"));
    const { code, stdout, stderr } = await bench.sion("wallet", "list");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^savings [0-9a-f]{64}\n$/)]);
    expect(stderr.split("\n")).toEqual([
      `${at("broken")} holds no seed: a seed is 64 hex digits`,
      `${at("folder")} is a folder: put a file there, or remove it`,
      `${at("nowhere")} is a link that leads nowhere: mend it`,
      `${at("zeros")} is no file: put a file there, or remove it`,
      "",
    ]);
  });

  it("pay takes no public devnet wallet where a wallet's link leads nowhere", async () => {
    mkdirSync(join(bench.home, "wallets"));
    symlinkSync(at("none"), at("alice"));
    const { code, stderr } = await bench.sion("pay", "alice", "bob", "1");
    expect([code, stderr]).toEqual([
      1,
      `error: ${at("alice")} is a link that leads nowhere: mend it\n`,
    ]);
    expect(bench.chain.units.size).toBe(0);
  });

  it("wallet import reads no more than a seed can have", async () => {
    const { code, stderr } = await bench.sion("wallet", "import", "savings", "/dev/zero");
    expect([code, stderr]).toEqual([
      1,
      "error: /dev/zero has more than 4096 bytes: give what this command asks for\n",
    ]);
  });

  it("agent run reads no script that is no file", async () => {
    const ids = await bench.sion("agent", "create", "alice", "coder", "--json");
    const { agent } = ids.json() as { agent: string };
    const model = ["--model", "script:/dev/zero"];
    const { code, stderr } = await bench.sion(
      "agent",
      "run",
      "coder",
      agent,
      "--task",
      "x",
      ...model,
    );
    expect([code, stderr]).toEqual([
      1,
      "error: the script /dev/zero cannot be read: /dev/zero is no file: put a file there, or " +
      "remove it\n",
    ]);
  });
});
