/**
 * Wallets on this machine: `$SION_HOME/wallets/<name>` holds a wallet's 32-byte seed as 64 hex
 * digits, mode 0600 in a folder of mode 0700. A name is never a path (`isWalletName`).
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { accountFault, fromHex, isWalletName, SionError, toHex, utf8 } from "#internal/core/mod.ts";
import { codeOf, ensureFolder, readPrivateFile, writeNewFile } from "#internal/runtime/mod.ts";

/**
 * - `wallet-name`: a text that cannot be a wallet's name. Data: `name`.
 * - `wallet-exists`: a wallet of that name has a file already. Data: `name`, `path`.
 * - `wallet-damaged`: a file, or what is imported, does not hold a seed. Data: `source`.
 */
export type WalletErrorCode = "wallet-name" | "wallet-exists" | "wallet-damaged";

const SEED_BYTES = 32;
const SEED_TEXT = /^[0-9a-f]{64}$/;

/** The seed files of one home. Nothing is read or made before a method is called. */
export interface Wallets {
  /** The file of a wallet, whether it is there or not. @throws {SionError} `wallet-name` */
  path(name: string): string;
  /** Names that have a seed file, sorted. */
  list(): Promise<string[]>;
  /**
   * The seed of a wallet, or `undefined` when it has no file.
   * @throws {SionError} `wallet-name`, `wallet-damaged`, `file-exposed` when others may read it.
   */
  seed(name: string): Promise<Uint8Array | undefined>;
  /**
   * Keeps a seed under a new name, durably; a wallet is never replaced.
   * @throws {SionError} `wallet-exists`, `wallet-name`
   */
  keep(name: string, seed: Uint8Array): Promise<void>;
}

/**
 * The wallets of a home folder.
 * @param shown how a path is written in errors (`~` for the person's home). @default as it is
 */
export function openWallets(home: string, shown: (path: string) => string = (p) => p): Wallets {
  const folder = join(home, "wallets");
  const pathOf = (name: string): string => join(folder, checkedName(name));
  return {
    path: pathOf,
    async list() {
      try {
        return (await readdir(folder)).filter(isWalletName).sort();
      } catch (error) {
        if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
        throw error;
      }
    },
    async seed(name) {
      const path = pathOf(name);
      const bytes = await readPrivateFile(path, shown(path));
      return bytes === undefined ? undefined : parseSeed(bytes, shown(path));
    },
    async keep(name, seed) {
      const path = pathOf(name);
      if (seed.length !== SEED_BYTES) throw new TypeError("Cannot keep wallet: no 32-byte seed");
      await ensureFolder(folder);
      try {
        await writeNewFile(path, utf8(`${toHex(seed)}\n`));
      } catch (error) {
        if (!(error instanceof SionError && error.code === "file-exists")) throw error;
        throw new SionError<WalletErrorCode>(
          "wallet-exists",
          `there is a wallet ${name} already, in ${shown(path)}: choose another name`,
          { cause: error, data: { name, path } },
        );
      }
    },
  };
}

/**
 * The seed in a file's bytes: 64 hex digits, white space around them allowed.
 * @param source what the error names: a file, `standard input`.
 * @throws {SionError} `wallet-damaged`
 */
export function parseSeed(bytes: Uint8Array, source: string): Uint8Array {
  const digits = new TextDecoder().decode(bytes).trim().toLowerCase();
  if (!SEED_TEXT.test(digits)) {
    throw new SionError<WalletErrorCode>(
      "wallet-damaged",
      `${source} holds no seed: a seed is 64 hex digits`,
      { data: { source } },
    );
  }
  return fromHex(digits);
}

function checkedName(name: string): string {
  if (isWalletName(name)) return name;
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  const nearly = accountFault(name);
  throw new SionError<WalletErrorCode>(
    "wallet-name",
    nearly === undefined
      ? `${shown} is no wallet name: use up to 64 letters, digits, - and _`
      : `${nearly}: choose another name`,
    { data: { name } },
  );
}
