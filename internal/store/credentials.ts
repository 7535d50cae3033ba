/**
 * Keys and settings of programs, in `$SION_HOME/agents/credentials.bin`: AES-256-GCM under a key that
 * the operating system's keyring keeps, or a file beside it (`credentials.key`, 0600) where there is
 * no keyring. The file is written whole, with a fresh nonce, by one process at a time.
 *
 * Bytes: `sioncred`, version (1), who keeps the key (0 file, 1 keyring), the key's name (8), the nonce
 * (12), then the ciphertext with its tag (16). All before the ciphertext is authenticated with it.
 */
import { join } from "node:path";
import {
  concatBytes,
  fromHex,
  messageOf,
  parseJson,
  SionError,
  stringifyJson,
  toHex,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import type { JsonValue, Random } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { Keyring } from "#internal/runtime/mod.ts";
import { ensureFolder, readPrivateFile, writeFileAtomic } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "./one_writer.ts";

/**
 * - `credential-name`: a text that cannot be a credential's name. Data: `name`.
 * - `credential-value`: nothing, too much, or more than all may have. Data: `name`.
 * - `credentials-locked`: the key of the file is not where it is kept. Data: `path`.
 * - `credentials-damaged`: the file cannot be opened with its key. Data: `path`.
 */
export type CredentialErrorCode =
  | "credential-name"
  | "credential-value"
  | "credentials-locked"
  | "credentials-damaged";

/** A value that is kept under a name. */
export interface Credential {
  readonly name: string;
  readonly value: string;
  /** False for a setting, which may be shown. */
  readonly secret: boolean;
}

/** Where the key of the credentials is. */
export type KeyPlace = { readonly kind: "keyring" | "file"; readonly title: string };

/** The credentials of a home. Nothing is read, asked or made before a method is called. */
export interface Credentials {
  /** All of them, sorted by name; none when nothing was ever kept. @throws {SionError} */
  all(): Promise<readonly Credential[]>;
  /**
   * Keeps a value, durably, in place of what had its name.
   * @throws {SionError} `credential-name`, `credential-value`, `credentials-…`, `file-exposed`
   */
  keep(credential: Credential): Promise<{ readonly replaced: boolean; readonly key: KeyPlace }>;
  /** Removes one; false when there is none. @throws {SionError} */
  remove(name: string): Promise<boolean>;
}

/** What the credentials are opened with. */
export interface CredentialOptions {
  readonly random: Random;
  /** @default none: the key is in a file */
  readonly keyring?: Keyring | undefined;
  /** How a path is written in errors. @default as it is */
  readonly shown?: (path: string) => string;
}

/** Characters of a name, which is that of an environment variable. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** UTF-8 bytes of one value: a private key fits, a file does not. */
export const MAX_CREDENTIAL_BYTES = 16_384;
const MAX_CREDENTIALS = 256;
/** Bytes of all that is kept. */
const MAX_FILE_BYTES = 1 << 20;

const MAGIC = utf8("sioncred");
const VERSION = 1;
const KEY_BYTES = 32;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const HOLDERS = ["file", "keyring"] as const;
const HEADER_BYTES = MAGIC.length + 2 + ID_BYTES + NONCE_BYTES;
const LOCK = "credentials";

interface Key {
  readonly holder: (typeof HOLDERS)[number];
  /** 16 hex digits: what the keyring knows it by. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

interface Opened {
  readonly key: Key;
  readonly credentials: readonly Credential[];
}

/** Whether a text can be a credential's name. */
export function isCredentialName(name: string): boolean {
  return NAME.test(name);
}

/** The credentials of a home folder. */
export function openCredentials(home: string, options: CredentialOptions): Credentials {
  const place: Place = {
    folder: join(home, "agents"),
    path: join(home, "agents", "credentials.bin"),
    keyPath: join(home, "agents", "credentials.key"),
    shown: options.shown ?? ((path) => path),
    random: options.random,
    keyring: options.keyring,
    id: toHex(sha256(utf8(home))).slice(0, 2 * ID_BYTES),
    known: new Map(),
  };
  return {
    async all() {
      return (await open(place))?.credentials ?? [];
    },
    async keep(credential) {
      check(credential);
      return await asOnlyWriter(home, LOCK, async () => {
        await ensureFolder(place.folder);
        const opened = await open(place);
        const key = opened?.key ?? await makeKey(place);
        const others = (opened?.credentials ?? []).filter(({ name }) => name !== credential.name);
        await write(place, key, [...others, credential]);
        const replaced = others.length !== (opened?.credentials.length ?? 0);
        return { replaced, key: keyPlace(place, key) };
      });
    },
    async remove(name) {
      return await asOnlyWriter(home, LOCK, async () => {
        const opened = await open(place);
        const others = opened?.credentials.filter((kept) => kept.name !== name) ?? [];
        if (opened === undefined || others.length === opened.credentials.length) return false;
        await write(place, opened.key, others);
        return true;
      });
    },
  };
}

interface Place extends Pick<CredentialOptions, "random" | "keyring"> {
  readonly folder: string;
  readonly path: string;
  readonly keyPath: string;
  readonly shown: (path: string) => string;
  /** The name of a key that is made here. */
  readonly id: string;
  /** Keys of the keyring by their names, once it gave them. */
  readonly known: Map<string, Uint8Array>;
}

function keyPlace({ keyring, keyPath, shown }: Place, { holder }: Key): KeyPlace {
  return { kind: holder, title: holder === "file" ? shown(keyPath) : keyring?.title ?? holder };
}

function check({ name, value }: Credential): void {
  if (!NAME.test(name)) {
    const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
    throw new SionError<CredentialErrorCode>(
      "credential-name",
      `${shown} is no name for a credential: use that of an environment variable, like ` +
        "OPENAI_API_KEY",
      { data: { name } },
    );
  }
  const bytes = utf8(value).length;
  if (bytes === 0) throw valueError(name, "is empty: give one");
  if (bytes > MAX_CREDENTIAL_BYTES) {
    throw valueError(
      name,
      `its value has ${bytes} bytes: at most ${MAX_CREDENTIAL_BYTES} are kept`,
    );
  }
}

function valueError(name: string, why: string): SionError<CredentialErrorCode> {
  return new SionError("credential-value", `the value of ${name} ${why}`, { data: { name } });
}

async function open(place: Place): Promise<Opened | undefined> {
  const { path, shown } = place;
  const bytes = await readPrivateFile(path, shown(path), MAX_FILE_BYTES);
  if (bytes === undefined) return undefined;
  const holder = HOLDERS[bytes[MAGIC.length + 1] ?? HOLDERS.length];
  const known = MAGIC.every((byte, at) => bytes[at] === byte);
  if (!known || bytes.length < HEADER_BYTES) throw damaged(place, "it is not what sion wrote");
  const version = bytes[MAGIC.length] as number;
  if (version !== VERSION || holder === undefined) {
    throw damaged(place, `it is of version ${version}, which this sion does not read`);
  }
  const nonceAt = HEADER_BYTES - NONCE_BYTES;
  const id = toHex(bytes.subarray(nonceAt - ID_BYTES, nonceAt));
  const key: Key = { holder, id, bytes: await findKey(place, holder, id) };
  let clear: Uint8Array;
  try {
    clear = await decrypted(key, bytes);
  } catch (cause) {
    throw damaged(place, "it is damaged, or its key is another", cause);
  }
  return { key, credentials: contentsOf(clear) };
}

/** What was encrypted here. @throws {TypeError} on anything else, which only a bug can cause. */
function contentsOf(clear: Uint8Array): readonly Credential[] {
  const { credentials } = parseJson(utf8Text(clear)) as { readonly credentials?: JsonValue };
  if (!Array.isArray(credentials)) throw new TypeError("Cannot read credentials: no list");
  return credentials.map((credential) => {
    const { name, secret, value } = credential as { readonly [member: string]: JsonValue };
    if (typeof name === "string" && typeof secret === "boolean" && typeof value === "string") {
      return { name, secret, value };
    }
    throw new TypeError("Cannot read credentials: a member is missing");
  });
}

async function decrypted({ bytes: key }: Key, bytes: Uint8Array): Promise<Uint8Array> {
  const header = bytes.slice(0, HEADER_BYTES);
  const algorithm = cipher(header);
  const clear = await crypto.subtle.decrypt(
    algorithm,
    await importKey(key),
    bytes.slice(HEADER_BYTES),
  );
  return new Uint8Array(clear);
}

async function write(
  place: Place,
  key: Key,
  credentials: readonly Credential[],
): Promise<void> {
  const last = credentials.at(-1)?.name ?? "";
  if (credentials.length > MAX_CREDENTIALS) {
    throw valueError(
      last,
      `is one more than the ${MAX_CREDENTIALS} that are kept at most: remove one first`,
    );
  }
  const sorted = credentials.toSorted((a, b) => a.name < b.name ? -1 : 1)
    .map(({ name, secret, value }) => ({ name, secret, value }));
  const header = concatBytes(
    MAGIC,
    Uint8Array.of(VERSION, HOLDERS.indexOf(key.holder)),
    fromHex(key.id),
    place.random(NONCE_BYTES),
  );
  const clear = utf8(stringifyJson({ credentials: sorted }));
  const sealed = await crypto.subtle.encrypt(
    cipher(header),
    await importKey(key.bytes),
    clear as Uint8Array<ArrayBuffer>,
  );
  const bytes = concatBytes(header, new Uint8Array(sealed));
  if (bytes.length > MAX_FILE_BYTES) {
    throw valueError(last, `makes more of all than ${MAX_FILE_BYTES} bytes: remove another first`);
  }
  await writeFileAtomic(place.path, bytes);
}

function cipher(header: Uint8Array) {
  return {
    name: "AES-GCM",
    iv: header.slice(HEADER_BYTES - NONCE_BYTES) as Uint8Array<ArrayBuffer>,
    additionalData: header as Uint8Array<ArrayBuffer>,
    tagLength: 128,
  };
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  const usages: KeyUsage[] = ["encrypt", "decrypt"];
  return crypto.subtle.importKey(
    "raw",
    bytes as Uint8Array<ArrayBuffer>,
    "AES-GCM",
    false,
    usages,
  );
}

/**
 * A key for a file that is not there yet: one that an earlier process left where it is kept, or a
 * fresh one, in the keyring if it answers, and durable before anything is encrypted under it.
 */
async function makeKey(place: Place): Promise<Key> {
  const { keyring, id, random, keyPath } = place;
  const fresh = random(KEY_BYTES);
  if (keyring !== undefined) {
    try {
      const kept = keyOf(await keyring.get(id));
      if (kept !== undefined) return { holder: "keyring", id, bytes: kept };
      await keyring.set(id, toHex(fresh));
      if (await keyring.get(id) === toHex(fresh)) return { holder: "keyring", id, bytes: fresh };
    } catch (error) {
      // One that does not answer now keeps nothing: the file does.
      if (!(error instanceof SionError)) throw error;
    }
  }
  const left = await fileKey(place);
  if (left !== undefined) return { holder: "file", id, bytes: left };
  await writeFileAtomic(keyPath, utf8(`${toHex(fresh)}\n`));
  return { holder: "file", id, bytes: fresh };
}

async function findKey(place: Place, holder: Key["holder"], id: string): Promise<Uint8Array> {
  const { keyring, keyPath, shown } = place;
  if (holder === "file") {
    const key = await fileKey(place);
    if (key !== undefined) return key;
    throw locked(place, `its key is not in ${shown(keyPath)}`, "restore that file");
  }
  if (keyring === undefined) {
    throw locked(place, "its key is in a keyring that this machine does not have", "use that one");
  }
  const known = place.known.get(id);
  if (known !== undefined) return known;
  let text: string | undefined;
  try {
    text = await keyring.get(id);
  } catch (cause) {
    const why = `its key is in ${keyring.title}, which does not answer`;
    throw locked(place, why, "unlock it", cause);
  }
  const key = keyOf(text);
  if (key !== undefined) {
    place.known.set(id, key);
    return key;
  }
  throw locked(place, `its key is not in ${keyring.title} any more`, "log in as before");
}

async function fileKey({ keyPath, shown }: Place): Promise<Uint8Array | undefined> {
  const bytes = await readPrivateFile(keyPath, shown(keyPath));
  return bytes === undefined ? undefined : keyOf(new TextDecoder().decode(bytes).trim());
}

function keyOf(text: string | undefined): Uint8Array | undefined {
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? fromHex(text) : undefined;
}

function locked(place: Place, why: string, what: string, cause?: unknown): Error {
  const path = place.shown(place.path);
  return new SionError<CredentialErrorCode>(
    "credentials-locked",
    `${path} cannot be opened, ${why}: ${what}, or remove ${path} and add the credentials anew`,
    { data: { path: place.path, why: cause === undefined ? why : messageOf(cause) }, cause },
  );
}

function damaged(place: Place, why: string, cause?: unknown): Error {
  const path = place.shown(place.path);
  return new SionError<CredentialErrorCode>(
    "credentials-damaged",
    `${path} cannot be opened, ${why}: restore it, or remove it and add the credentials anew`,
    { data: { path: place.path }, cause },
  );
}
