import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "#internal/runtime/mod.ts";
import type { ClientState } from "#internal/store/mod.ts";
import { openClientState } from "#internal/store/mod.ts";
import type { KeyRing } from "../../internal/client/keys.ts";
import { createKeyRing } from "../../internal/client/keys.ts";

const FACTS = { devnet: false, scheme: "insecure" } as const;
const [SEED, OTHER] = [new Uint8Array(32).fill(0xa5), new Uint8Array(32).fill(0x5a)];

let home = "";
let state: ClientState;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "sion-keys-"));
  state = openClientState(home);
});

afterEach(() => {
  state.close();
  rmSync(home, { recursive: true, force: true });
});

/** A ring of one wallet file with this seed. */
function ringOf(seed: Uint8Array): KeyRing {
  const wallets = {
    path: () => "",
    list: () => Promise.resolve([]),
    seed: () => Promise.resolve(seed),
  };
  return createKeyRing(
    () => Promise.resolve({ ...wallets, keep: () => Promise.reject(new Error("not here")) }),
    () => Promise.resolve(state),
    systemRandom,
  );
}

describe("createKeyRing()", () => {
  test("account() of a file derives keys once for its seed, in this and later processes", async () => {
    const { account } = await ringOf(SEED).signer(FACTS, "alice") ?? {};
    expect(await ringOf(SEED).account(FACTS, "alice")).toBe(account);
    expect(state.accountOfSeed("insecure", SEED)).toBe(account);
    // Another account is kept of that seed: it is told, so nothing was derived.
    await state.keepAccountOfSeed("insecure", OTHER, "c0");
    expect(await ringOf(OTHER).account(FACTS, "alice")).toBe("c0");
  });

  test("account() of a file that holds another seed than last time is the other seed's", async () => {
    const before = await ringOf(SEED).account(FACTS, "alice");
    const after = await ringOf(OTHER).account(FACTS, "alice");
    expect(after).not.toBe(before);
    expect(await ringOf(SEED).account(FACTS, "alice")).toBe(before);
    expect(state.names("insecure-file").get(before ?? "")).toBe("alice");
  });

  test("account() keeps nothing that a seed could be told from", async () => {
    await ringOf(SEED).account(FACTS, "alice");
    state.close();
    const bytes = readFileSync(join(home, "client.db"));
    expect(bytes.includes(Buffer.from(SEED))).toBe(false);
    expect(bytes.toString("latin1")).not.toContain("a5a5a5a5");
    state = openClientState(home);
  });
});
