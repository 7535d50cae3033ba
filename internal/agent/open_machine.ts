/** The real machine: this process's files, clock and client. */
import { utf8Text } from "#internal/core/mod.ts";
import type { Random } from "#internal/core/mod.ts";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import {
  displayPath,
  readFileIfThere,
  sionHome,
  systemClock,
  systemKeyring,
  systemRandom,
} from "#internal/runtime/mod.ts";
import type { Credentials } from "#internal/store/mod.ts";
import { openBudgets, openCredentials, openSessions } from "#internal/store/mod.ts";
import { findAgent } from "./client_ledger.ts";
import type { AgentMachine } from "./machine.ts";
import { createSecrets } from "./secrets.ts";
import type { Secrets } from "./secrets.ts";

/** What the real machine is opened with. */
export interface MachineOptions extends Omit<ClientOptions, "chain"> {
  /** Where relative paths are meant from. */
  readonly cwd: string;
  /** URL of the program's one file, where threads run it too. */
  readonly workerEntry?: string;
  /** As `AgentMachine` has it. @default no */
  readonly showChanges?: boolean;
  /** Registries and services that replace the product's. */
  readonly replace?: Partial<
    Pick<AgentMachine, "kinds" | "capabilities" | "tools" | "steps" | "providers" | "openHooks">
  >;
}

/** A machine with the clients it opened; disposing closes them and the sessions' file. */
export interface OpenMachine extends AgentMachine, Disposable {}

/**
 * Opens the sessions of a home. A client is made for each node and chain when it is first needed.
 * @throws {SionError} `newer-data`
 */
export function openAgentMachine(
  { cwd, workerEntry, showChanges = false, replace = {}, ...options }: MachineOptions,
): OpenMachine {
  const home = options.home ?? sionHome(options.env);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const sessions = openSessions(home, { clock, random });
  const budgets = openBudgets(home, { clock, random });
  const clients = new Map<string, Client>();
  return {
    ...replace,
    ...(workerEntry === undefined ? {} : { workerEntry }),
    showChanges,
    sessions,
    budgets,
    clock,
    random,
    env: options.env,
    home,
    cwd,
    readText,
    secrets: openSecrets({ env: options.env, home, random }),
    findAgent(name) {
      // What is said now goes before what the session was opened with: nodes move.
      const node = options.node ?? name.node;
      const { chain } = name;
      const key = `${node ?? ""} ${chain ?? ""}`;
      const client = clients.get(key) ?? openClient({
        ...options,
        home,
        ...(node === undefined ? {} : { node }),
        ...(chain === undefined ? {} : { chain }),
      });
      clients.set(key, client);
      return findAgent(client, name);
    },
    [Symbol.dispose]() {
      for (const client of clients.values()) client[Symbol.dispose]();
      budgets.close();
      sessions.close();
    },
  };
}

/** The secrets of a home and an environment. Nothing is opened before one is asked for. */
export function openSecrets(
  { env, home = sionHome(env), random = systemRandom }: Pick<ClientOptions, "env" | "home"> & {
    readonly random?: Random;
  },
): Secrets {
  let credentials: Promise<Credentials> | undefined;
  return createSecrets(
    env,
    async () => await (await (credentials ??= openKept(home, env, random))).all(),
  );
}

/** What is kept encrypted, under the keyring of whoever runs this. */
async function openKept(
  home: string,
  env: MachineOptions["env"],
  random: Random,
): Promise<Credentials> {
  const keyring = await systemKeyring(env);
  return openCredentials(home, { random, keyring, shown: (path) => displayPath(path, env) });
}

async function readText(path: string): Promise<string> {
  const bytes = await readFileIfThere(path);
  if (bytes === undefined) throw Object.assign(new Error(`no file ${path}`), { code: "ENOENT" });
  return utf8Text(bytes);
}
