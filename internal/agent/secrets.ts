/**
 * Secrets of models and tools: found by name, in the environment first and then among what is kept,
 * and cut out of everything that a session logs, shows or asks a model.
 */
import type { JsonValue, Redactor } from "#internal/core/mod.ts";
import { createRedactor } from "#internal/core/mod.ts";
import type { Credential, EventDraft } from "#internal/store/mod.ts";
import { modelKeys } from "./models/mod.ts";

/** The secrets of this machine. */
export interface Secrets {
  /** A key or setting: of the environment, unless it is empty there, else kept. @throws {SionError} */
  find(name: string): Promise<string | undefined>;
  /**
   * What cuts out every secret that is kept, and of the environment those of the same names, the keys
   * of models, and those that `find` gave. @throws {SionError} when what is kept cannot be read
   */
  redactor(): Promise<Redactor>;
}

/**
 * Secrets over an environment and what is kept, which is read anew each time.
 * @param keys names of keys that no output shows, asked for or not: a hook, or a tool of another
 * server, has the environment too
 */
export function createSecrets(
  env: Readonly<Record<string, string | undefined>>,
  kept: () => Promise<readonly Credential[]>,
  keys: readonly string[] = modelKeys,
): Secrets {
  const found = new Set(keys);
  return {
    async find(name) {
      const given = env[name];
      if (given !== undefined && given !== "") {
        found.add(name);
        return given;
      }
      return (await kept()).find((credential) => credential.name === name)?.value;
    },
    async redactor() {
      const all = await kept();
      const settings = new Set(all.filter(({ secret }) => !secret).map(({ name }) => name));
      const secret = all.filter((credential) => credential.secret);
      const inEnvironment = [...new Set([...found, ...secret.map(({ name }) => name)])]
        .filter((name) => !settings.has(name))
        .flatMap((name): [string, string][] => [[name, env[name] ?? ""]]);
      return createRedactor([
        ...secret.map(({ name, value }): [string, string] => [name, value]),
        ...inEnvironment,
      ]);
    },
  };
}

/** An event without secrets in its texts, what searches and lists know of it among them. */
export function redactedDraft(redactor: Redactor, draft: EventDraft): EventDraft {
  if (redactor.idle) return draft;
  const { body, words, listed, ...rest } = draft;
  return {
    ...rest,
    body: redacted(redactor, body),
    ...(words === undefined ? {} : { words: redactor.text(words) }),
    ...(listed === undefined ? {} : { listed: redacted(redactor, { ...listed }) }),
  };
}

/** A JSON value without secrets in its texts; the names of members stay. */
export function redacted<T extends JsonValue>(redactor: Redactor, value: T): T;
export function redacted(redactor: Redactor, value: JsonValue): JsonValue {
  if (redactor.idle) return value;
  if (typeof value === "string") return redactor.text(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => redacted(redactor, member));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined ? undefined : redacted(redactor, member),
    ]),
  );
}
