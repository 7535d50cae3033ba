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

  it("submit names what is no text on standard input", async () => {
    const { code, stderr } = await bench.sionIn(
      { stdin: Uint8Array.of(0xff, 0xfe) },
      "submit",
      "-",
    );
    expect([code, stderr]).toEqual([
      1,
      "error: standard input is no UTF-8 text: give hex digits; nothing was sent\n",
    ]);
  });

  it("wallet import reads no more than a seed can have", async () => {
    const { code, stderr } = await bench.sion("wallet", "import", "savings", "/dev/zero");
    expect([code, stderr]).toEqual([
      1,
      "error: /dev/zero has more than 4096 bytes: give what this command asks for\n",
    ]);
  });

  it.each([
    ["garbage", "is damaged (file is not a database): restore it from a copy, or move it away"],
    ["folder", "cannot be opened: see that no folder lies there"],
  ])(
    "%s in place of client.db is told with path and remedy, not as a fault of sion's",
    async (what, says) => {
      const path = join(bench.home, "client.db");
      if (what === "folder") mkdirSync(path);
      else writeFileSync(path, "x".repeat(8_192));
      const { code, stderr } = await bench.sion("pay", "alice", "bob", "1");
      expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${path} ${says}`)]);
    },
  );

  it("garbage in place of the sessions is told with path and remedy", async () => {
    mkdirSync(join(bench.home, "agents"));
    const path = join(bench.home, "agents", "sessions.db");
    writeFileSync(path, "x".repeat(8_192));
    const { code, stderr } = await bench.sion("agent", "trace", "3ffd3b1fd4d6aa36");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${path} is damaged (`)]);
  });

  it.each([
    [
      "/dev/null",
      /^error: \/dev\/null\S* (is in the way|lies under what is no folder).*: set SION_HOME /,
    ],
    [`/tmp/${"x".repeat(5_000)}`, /^error: \/tmp\/x{115}… is too long a path: set SION_HOME /],
    ["/proc/none", /^error: \/proc\/none\S* cannot be made: set SION_HOME /],
  ])("a home that cannot be is told so: %s", async (home, says) => {
    const { code, stderr } = await bench.sion("wallet", "new", "savings", "--home", home);
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
  });

  it("a folder that was given and cannot be made is told with the option that gives it", async () => {
    for (const words of [["devnet", "--dir", "/proc/none"], ["genesis", "key", "/proc/none"]]) {
      const { code, stderr } = await bench.sion(...words, "--insecure-signatures");
      expect([code, stderr]).toEqual([
        1,
        "error: /proc/none cannot be made: give a path that can be written, by the argument or --dir\n",
      ]);
    }
  });

  it("genesis key says why a wallet that is kept here is no operator of an insecure key", async () => {
    await bench.sion("wallet", "new", "savings");
    const words = ["genesis", "key", "v0", "--operator", "savings", "--insecure-signatures"];
    expect((await bench.sion(...words)).stderr).toBe(
      "error: the wallet savings signs for real, which --insecure-signatures cannot check: leave " +
        "that out, or give an account's 64 hex digits\n",
    );
    words[4] = "savingz";
    expect((await bench.sion(...words)).stderr).toBe(
      "error: there is no wallet savingz here: did you mean savings\n",
    );
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
