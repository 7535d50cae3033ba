import { describe, expect, it } from "vitest";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import { devnetWalletSeed } from "#internal/rpc/mod.ts";
import { GENESIS_ACCOUNTS, GENESIS_NAMES } from "../../internal/client/genesis_names.ts";

describe("GENESIS_ACCOUNTS", () => {
  it("are what the names derive to on every devnet [L-609]", async () => {
    const backend = await loadDualBackend();
    for (const name of GENESIS_NAMES) {
      const { publicKey } = await backend.keysFromSeed(devnetWalletSeed(name));
      expect(GENESIS_ACCOUNTS.get(name)).toBe(accountId(policyOfKey(publicKey), NO_SALT));
    }
    expect(GENESIS_ACCOUNTS.size).toBe(GENESIS_NAMES.length);
  });
});
