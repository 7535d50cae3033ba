/**
 * Tokens that reach one profile each, in `$SION_HOME/agents/tokens.json`: of each its id, whom it
 * reaches, what its holder may do, and its hash. The token itself is told once and kept nowhere.
 */
import { timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { fromHex, isHex64, SionError, toHex, utf8 } from "#internal/core/mod.ts";
import type { JsonValue, Random } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { ensureFolder } from "#internal/runtime/mod.ts";
import { asOnlyWriter } from "./one_writer.ts";
import type { PrivateFile } from "./private_json.ts";
import { keptDamaged, readPrivateJson, writePrivateJson } from "./private_json.ts";

/** `token-many`: no more tokens are kept. Data: none. */
export type ProfileTokenErrorCode = "token-many";

/** What a token is good for. */
export interface ProfileToken {
  /** 8 hex digits, of chance. */
  readonly id: string;
  readonly profile: string;
  /** The agent that the profile was when the token was made, 64 hex digits. */
  readonly agent: string;
  /** Whether its holder may approve and decline. */
  readonly approve: boolean;
}

/** The tokens of a home, in the order they were made. */
export interface ProfileTokens {
  list(): Promise<readonly ProfileToken[]>;
  /** Makes one. `token` is shown to nobody again. @throws {SionError} `token-many` */
  add(
    token: Omit<ProfileToken, "id">,
  ): Promise<{ readonly kept: ProfileToken; readonly token: string }>;
  /** Takes those back that the test names, and says which. */
  remove(isMeant: (token: ProfileToken) => boolean): Promise<readonly ProfileToken[]>;
  /**
   * What a text that somebody gave is good for, or `undefined`. Takes as long for every text, so that
   * nothing is learnt of a token by trying. Whoever asks compares the agent with the profile's now.
   */
  verify(text: string): Promise<ProfileToken | undefined>;
}

const PREFIX = "sion_ch_";
const SECRET_BYTES = 32;
const TOKEN = /^sion_ch_[0-9a-f]{64}$/;
const MAX_TOKENS = 1_000;
const LOCK = "profile-tokens";

interface KeptToken extends ProfileToken {
  /** SHA-256 of the token's text, hex. */
  readonly hash: string;
}

/** The tokens of a home folder. @param shown how a path is written in errors. @default as it is */
export function openProfileTokens(
  home: string,
  { random, shown = (path) => path }: {
    readonly random: Random;
    readonly shown?: (path: string) => string;
  },
): ProfileTokens {
  const path = join(home, "agents", "tokens.json");
  const file: PrivateFile = { path, shown: shown(path), version: 1 };
  return {
    list: async () => (await read(file)).map(withoutHash),
    async add(token) {
      return await asOnlyWriter(home, LOCK, async () => {
        const tokens = await read(file);
        if (tokens.length >= MAX_TOKENS) {
          throw new SionError<ProfileTokenErrorCode>(
            "token-many",
            `${MAX_TOKENS} tokens are kept already: take one back first`,
          );
        }
        const text = `${PREFIX}${toHex(random(SECRET_BYTES))}`;
        const kept = { ...token, id: freshId(tokens, random) };
        await ensureFolder(join(home, "agents"));
        await write(file, [...tokens, { ...kept, hash: hashOf(text) }]);
        return { kept, token: text };
      });
    },
    async remove(isMeant) {
      return await asOnlyWriter(home, LOCK, async () => {
        const tokens = await read(file);
        const gone = tokens.filter(isMeant);
        if (gone.length > 0) await write(file, tokens.filter((token) => !gone.includes(token)));
        return gone.map(withoutHash);
      });
    },
    async verify(text) {
      const tokens = await read(file);
      const hash = fromHex(hashOf(text.toWellFormed()));
      let found: KeptToken | undefined;
      for (const token of tokens) {
        if (timingSafeEqual(fromHex(token.hash), hash)) found = token;
      }
      return found === undefined || !TOKEN.test(text) ? undefined : withoutHash(found);
    },
  };
}

function withoutHash({ id, profile, agent, approve }: KeptToken): ProfileToken {
  return { id, profile, agent, approve };
}

function hashOf(text: string): string {
  return toHex(sha256(utf8(text)));
}

function freshId(tokens: readonly KeptToken[], random: Random): string {
  for (;;) {
    const id = toHex(random(4));
    if (tokens.every((token) => token.id !== id)) return id;
  }
}

async function write(file: PrivateFile, tokens: readonly KeptToken[]): Promise<void> {
  await writePrivateJson(file, { tokens: tokens.map((token) => ({ ...token })) });
}

async function read(file: PrivateFile): Promise<readonly KeptToken[]> {
  const members = await readPrivateJson(file);
  if (members === undefined) return [];
  const { tokens, ...others } = members;
  if (!Array.isArray(tokens) || Object.keys(others).length > 0) {
    throw keptDamaged(file, "it has other members than sion's");
  }
  return tokens.map((token: JsonValue) => {
    const read = tokenOf(token);
    if (read === undefined) throw keptDamaged(file, "a token in it lacks a member");
    return read;
  });
}

function tokenOf(value: JsonValue): KeptToken | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  const { id, profile, agent, approve, hash, ...others } = value as {
    readonly [member: string]: JsonValue | undefined;
  };
  const isWhole = typeof id === "string" && /^[0-9a-f]{8}$/.test(id) &&
    typeof profile === "string" && typeof agent === "string" && isHex64(agent) &&
    typeof approve === "boolean" && typeof hash === "string" && isHex64(hash) &&
    Object.keys(others).length === 0;
  return isWhole ? { id, profile, agent, approve, hash } : undefined;
}
