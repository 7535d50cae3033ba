/** Storage deals by the real programs: a provider that is killed and goes on, files that come back. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DealValue, ProviderEvent } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import { parseJson, silentLogger } from "#internal/core/mod.ts";
import { type Devnet, startDevnet } from "#internal/node/mod.ts";
import { isDeno } from "#internal/runtime/mod.ts";
import { fileOf } from "../ledger/_storage.ts";
import type { Child } from "./_child.ts";
import { runtimeCommand, runWith, signalTo, start } from "./_child.ts";

const FILE = fileOf(3 * 1024 * 1024 + 77);

describe("sion storage", () => {
  let folder = "";
  let devnet: Devnet;
  const running: Child[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sion-storage-"));
    devnet = await startDevnet({
      dir: join(folder, "devnet"),
      port: 0,
      insecureSignatures: true,
      logger: silentLogger,
    });
  });
  afterAll(async () => {
    for (const child of running) child.process.kill("SIGKILL");
    await devnet[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const command = (...args: string[]): [string, ...string[]] =>
    runtimeCommand(
      "../../cmd/sion/main.ts",
      ...["storage", ...args, "--home", join(folder, "home"), "--node", devnet.url],
    );
  const sion = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runWith("", command(...args));
    expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  const json = async <T>(...args: string[]): Promise<T> =>
    parseJson(await sion(...args, "--json")) as T;

  /** A provider of bob's that takes files of the folder, and what it says. */
  const provider = () => {
    const child = start(
      command(
        ...["provide", "bob", "--dir", join(folder, "kept"), "--local", folder],
        ...["--listen", "127.0.0.1:0", "--json"],
      ),
    );
    running.push(child);
    const lines = () => child.stdout().trim().split("\n").filter((line) => line !== "");
    const said = (kind: ProviderEvent["kind"]): number =>
      lines().filter((line) => (parseJson(line) as { kind?: string }).kind === kind).length;
    return {
      child,
      ready: () => child.until(() => lines().length > 0),
      files: () => (parseJson(lines()[0] ?? "{}") as { files: string }).files,
      said,
    };
  };

  /** Pays until something is so: an idle chain makes few Pulses. */
  async function payUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
    using client = openClient({ env: {}, home: join(folder, "payer"), node: devnet.url });
    while (!await isSo()) await client.pay({ from: "alice", to: "carol", amount: 1n });
  }

  it(
    "keeps a file with a provider that is killed, and gives it back [L-565 L-614 L-645 L-646 L-649]",
    async () => {
      const path = join(folder, "patrol.bin");
      writeFileSync(path, FILE);
      const first = provider();
      await first.ready();
      const terms = [
        "--price",
        "0.25",
        "--rounds",
        "4",
        "--round-length",
        "8",
        "--collateral",
        "1",
      ];
      const posted = await json<{ deal: string; leaves: number; status: string }>(
        ...["post", "alice", path, "--local", ...terms],
      );
      const { deal } = posted;
      expect(posted).toMatchObject({ leaves: 3073, status: "Success" });
      await payUntil(() => first.said("proven") > 0);
      signalTo(first.child, "SIGKILL");
      await first.child.ended;
      // The file of its client is gone: what is kept has to do.
      rmSync(path);
      const second = provider();
      await second.ready();
      await payUntil(() => second.said("proven") > 0);
      const back = join(folder, "back.bin");
      const fetched = await json(
        "fetch",
        deal.slice(0, 8),
        "--out",
        back,
        "--from",
        second.files(),
        "--allow-private",
      );
      expect(fetched).toMatchObject({ bytes: FILE.length, deal, leaves: 3073 });
      expect(new Uint8Array(readFileSync(back))).toEqual(FILE);
      await payUntil(() => second.said("closed") > 0);
      const { state } = await json<DealValue>("show", deal);
      if (state.phase !== "closed") throw new Error(state.phase);
      expect(state.proven).toBeGreaterThanOrEqual(2);
      expect(state.proven + state.missed).toBe(4);
      expect(readdirSync(join(folder, "kept")).filter((name) => /^[0-9a-f]{64}$/.test(name)))
        .toEqual([]);
      signalTo(second.child, "SIGINT");
      expect(await second.child.ended).toMatchObject({ code: 0, signal: null });
    },
    240_000,
  );

  it(
    "fetches over https: from a private address only when it is told, believing no other file [L-531 L-645]",
    async () => {
      const fixture = (name: string): string =>
        fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
      const file = FILE.subarray(0, 40_000);
      let served: Uint8Array = file;
      const server = createServer(
        { key: readFileSync(fixture("key.pem")), cert: readFileSync(fixture("cert.pem")) },
        (_request, response) => void response.end(served),
      );
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as { port: number };
      const path = join(folder, "served.bin");
      writeFileSync(path, file);
      const trusted = { NODE_EXTRA_CA_CERTS: fixture("cert.pem") };
      Object.assign(process.env, trusted);
      try {
        const locator = `https://127.0.0.1:${port}/served.bin`;
        const { deal } = await json<{ deal: string }>(
          ...["post", "alice", path, "--price", "0.25", "--rounds", "1", "--locator", locator],
        );
        const accept = ["accept", "carol", deal, "--dir", join(folder, "https")];
        const refused = await runWith("", command(...accept));
        expect([refused.code, refused.stderr]).toEqual([
          1,
          `error: cannot get ${locator}: it is at a private address, which only --allow-private ` +
          "takes\n",
        ]);
        if (isDeno) {
          // Deno takes no certificate besides its own for this: one that it does not know is refused.
          const { stderr } = await runWith("", command(...accept, "--allow-private"));
          expect(stderr).toContain("no connection (DEPTH_ZERO_SELF_SIGNED_CERT)");
          return;
        }
        served = FILE.subarray(1, 40_001);
        const other = await runWith("", command(...accept, "--allow-private"));
        expect([other.code, other.stderr])
          .toEqual([6, expect.stringContaining("its root is another")]);
        served = FILE;
        const larger = await runWith("", command(...accept, "--allow-private"));
        expect(larger.stderr).toContain("it serves more than 40000 bytes");
        served = file;
        expect(await sion(...accept, "--allow-private")).toContain("accepted with 0.25 USD");
      } finally {
        for (const name of Object.keys(trusted)) delete process.env[name];
        server.close();
      }
    },
    120_000,
  );

  it(
    "accepts and closes by hand, lists and shows, and says what is wrong [L-545 L-555 L-565 L-569]",
    async () => {
      const own = join(folder, "own");
      mkdirSync(own);
      const path = join(own, "notes.bin");
      writeFileSync(path, FILE.subarray(0, 5000));
      const post = ["post", "alice", path, "--price", "0.25", "--rounds", "4"];
      const { deal } = await json<{ deal: string }>(...post, "--provider", "carol");
      const short = deal.slice(0, 8);
      expect(await sion("deals", "--open")).toContain(
        `${deal} 5 leaves, 4 rounds of 16 Pulses at 0.25 USD each, 0 USD of collateral: open until`,
      );
      const dir = ["--dir", join(folder, "carols")];
      const refused = async (...args: string[]) => {
        const { code, stderr } = await runWith("", command(...args));
        return `${code} ${stderr}`;
      };
      expect(await refused("accept", "carol", short, ...dir)).toContain(
        "does not say where its file is",
      );
      writeFileSync(join(own, "other.bin"), FILE.subarray(1, 5001));
      expect(await refused("accept", "carol", short, ...dir, "--from", join(own, "other.bin")))
        .toMatch(/^6 error: what came is not the file of storage deal/);
      expect(await sion("accept", "carol", short, ...dir, "--from", path))
        .toMatch(
          /Done: storage deal .* accepted with 0 USD of collateral: round 1 begins at Pulse/,
        );
      expect(await refused("prove", "carol", short, ...dir)).toMatch(
        /begins at Pulse|not drawn yet/,
      );
      expect(await refused("close", "alice", short)).toMatch(
        /^1 error: storage deal [0-9a-f]{8} runs through Pulse \d+: close it after that, unless its provider misses three rounds in a row; nothing was sent\n$/,
      );
      expect(await refused("close", "carol", short)).toMatch(/ Pulse \d+: close it after that; no/);
      expect(await refused("close", "bob", short)).toContain("only client and provider may close");
      expect(await refused("fetch", short, "--out", join(own, "back"), "--from", own)).toContain(
        `/own has no file of storage deal ${short}: give another --from`,
      );
      expect(await sion("show", short)).toMatch(/active, .*0 proven, 0 missed[^]*kept by carol/);
      for (const out of ["", "new/", ".", "new/.."]) {
        expect(await refused("fetch", short, "--out", out)).toMatch(
          /^1 error: --out .*names no file: give the file's new path/,
        );
      }
      expect(await refused(...post)).toContain(
        "a deal for any provider says where the file is to be had: give --locator <URL>, or --local",
      );
      expect(await refused(...post, "--round-length", "12", "--local")).toContain("multiple of 8");
      const own2 = await json<{ deal: string }>(...post, "--local");
      expect(await sion("close", "alice", own2.deal)).toContain(
        "1 USD refunded, 0 USD paid, 0 USD of collateral returned, 0 USD forfeited, 0 round(s) missed",
      );
      expect(await refused("close", "alice", own2.deal)).toMatch(
        /^1 error: storage deal [0-9a-f]{8} is closed already, since Pulse \d+; nothing was sent\n$/,
      );
    },
    120_000,
  );
});
