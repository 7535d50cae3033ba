/**
 * Wallets on this machine: `$SION_HOME/wallets/<name>` holds a wallet's 32-byte seed as 64 hex
 * digits, mode 0600 in a folder of mode 0700. A name is never a path (`isWalletName`).
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fromHex, isWalletName, SionError, toHex } from "#internal/core/mod.ts";

/**
 * - `wallet-name`: a text that cannot be a wallet's name. Data: `name`.
 * - `wallet-exists`: a wallet of that name has a file already. Data: `name`, `path`.
 * - `wallet-readable`: other users may read the seed file. Data: `path`, `mode`.
 * - `wallet-damaged`: the file does not hold a seed. Data: `path`.
 */
export type WalletErrorCode =
  | "wallet-name"
  | "wallet-exists"
  | "wallet-readable"
  | "wallet-damaged";

const SEED_BYTES = 32;
const SEED_TEXT = /^[0-9a-f]{64}$/;

/** The seed files of one home. Nothing is read or made before a method is called. */
export interface Wallets {
  /** The folder of the seed files. */
  readonly folder: string;
  /** Names that have a seed file, sorted. */
  list(): string[];
  /** The seed of a wallet, or `undefined` when it has no file. @throws {SionError} */
  seed(name: string): Uint8Array | undefined;
  /** Keeps a seed under a new name, durably. @throws {SionError} `wallet-exists`, `wallet-name` */
  keep(name: string, seed: Uint8Array): void;
}

/**
 * The wallets of a home folder.
 * @param shown how a path is written in errors (`~` for the person's home). @default as it is
 */
export function openWallets(home: string, shown: (path: string) => string = (p) => p): Wallets {
  const folder = join(home, "wallets");
  return {
    folder,
    list() {
      try {
        return readdirSync(folder).filter(isWalletName).sort();
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    seed(name) {
      checkName(name);
      const path = join(folder, name);
      const text = readPrivately(path, shown);
      return text === undefined ? undefined : parseSeed(text, shown(path));
    },
    keep(name, seed) {
      checkName(name);
      if (seed.length !== SEED_BYTES) throw new TypeError("Cannot keep wallet: no 32-byte seed");
      writeNew(folder, name, `${toHex(seed)}\n`, shown);
    },
  };
}

/**
 * The seed in a text: 64 hex digits, white space around them allowed.
 * @param source what the error names: a file, `standard input`.
 * @throws {SionError} `wallet-damaged`
 */
export function parseSeed(text: string, source: string): Uint8Array {
  const digits = text.trim().toLowerCase();
  if (!SEED_TEXT.test(digits)) {
    throw new SionError<WalletErrorCode>(
      "wallet-damaged",
      `${source} holds no seed: a seed is 64 hex digits`,
      { data: { path: source } },
    );
  }
  return fromHex(digits);
}

function checkName(name: string): void {
  if (isWalletName(name)) return;
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  throw new SionError<WalletErrorCode>(
    "wallet-name",
    `${JSON.stringify(shown)} is no wallet name: use up to 64 letters, digits, - and _`,
    { data: { name } },
  );
}

function readPrivately(path: string, shown: (path: string) => string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const mode = fstatSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      const octal = mode.toString(8).padStart(4, "0");
      throw new SionError<WalletErrorCode>(
        "wallet-readable",
        `others can read ${shown(path)} (mode ${octal}): run \`chmod 600 ${shown(path)}\``,
        { data: { path, mode } },
      );
    }
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** All of the file or nothing of it is there afterwards, and an existing one is never replaced. */
function writeNew(
  folder: string,
  name: string,
  text: string,
  shown: (path: string) => string,
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  // A dot is not allowed in a wallet's name: what a crash leaves behind is never listed.
  const temporary = join(folder, `.${name}.${process.pid}`);
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new SionError<WalletErrorCode>(
      "wallet-exists",
      `there is a wallet ${name} already in ${shown(path)}: choose another name`,
      { data: { name, path } },
    );
  } finally {
    rmSync(temporary, { force: true });
  }
  const directory = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}
