/**
 * What a capability of sessions is: options that a person gives, the settings that a session keeps of
 * them, and the service that tools are handed while it works. One file a capability; `mod.ts` lists
 * them, and `sion agent run`, `sion agent talk` and profiles take their options from that list.
 */
import type * as z from "zod";
import type { Clock, JsonValue, Random } from "#internal/core/mod.ts";
import type { Brought } from "../pre_approvals.ts";
import type { Secrets } from "../secrets.ts";

/** One option, as data: help, completion, profiles and the reference derive from it. */
export interface CapabilityOption {
  /** As programs know it; `sandboxTimeout` is `--sandbox-timeout` outside. Unique over all. */
  readonly name: string;
  /** `toggle` takes no value, `value` one, `list` repeats. */
  readonly kind: "toggle" | "value" | "list";
  /** What stands for the value in help; missing for a toggle. */
  readonly placeholder?: string;
  readonly about: string;
  /** What holds without it, for help. */
  readonly default?: string;
  /** A value that may be left out: `--option` alone is this text. */
  readonly bare?: string;
  /** What completion offers; values of `files` are paths, which profiles keep absolute. */
  readonly offers?: "files" | readonly string[];
  /** Whether `@` before a value names a file that holds it. @default false */
  readonly fileAfterAt?: boolean;
}

/** What a person gave, by the options' names; what was not given is missing. */
export type GivenOptions = { readonly [option: string]: string | boolean | readonly string[] };

/** What a capability may use of the machine. */
export interface CapabilityMachine {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `$SION_HOME`. */
  readonly home: string;
  /** Where relative paths are meant from. */
  readonly cwd: string;
  readonly readText: (path: string) => Promise<string>;
  /** Keys and settings by name, and what cuts them out of output. @default those of `env` */
  readonly secrets?: Secrets;
  /** The session's workspace, absolute and checked; missing when it has none. */
  readonly workspace?: string;
}

/** What a capability that is opened may use besides. */
export interface OpeningMachine extends CapabilityMachine {
  /** The session's id, 16 hex digits. */
  readonly session: string;
  /** Says something about the session that a person should know. */
  readonly notice: (text: string) => void;
}

/** A capability. `Settings` is JSON, kept with the session for its life. */
export interface Capability<
  Name extends string = string,
  Settings extends JsonValue = JsonValue,
  Service = unknown,
> {
  /** Unique, kebab-case, never used again for something else: sessions keep it. */
  readonly name: Name;
  readonly options: readonly CapabilityOption[];
  readonly settings: z.ZodType<Settings>;
  /**
   * The settings that options make, or `undefined` when they do not ask for this. All that can be
   * wrong is found here, before there is a session. @throws {AgentError} in one sentence
   */
  read(given: GivenOptions, machine: CapabilityMachine): Promise<Settings | undefined>;
  /**
   * Makes what tools use, when a session begins to work. What has a `Symbol.asyncDispose` is disposed
   * of with the conversation. @throws {AgentError} in one sentence
   */
  open?(settings: Settings, machine: OpeningMachine): Promise<Service>;
  /** What the model is told of it before the conversation, a line or more, if anything. */
  instructions?(settings: Settings, service: Service): string | undefined;
  /** The rules that answer for a person in the session, by whom it has them. */
  preApproves?(service: Service): readonly Brought[];
}

// deno-lint-ignore no-explicit-any -- a list holds capabilities of all settings and services
export type AnyCapability = Capability<string, any, any>;

/** Declares a capability; the types come from its schema and from what `open` makes. */
export function defineCapability<
  const Name extends string,
  Settings extends JsonValue,
  Service = never,
>(
  capability: Capability<Name, Settings, Service>,
): Capability<Name, Settings, Service> {
  return capability;
}

/** The value of an option that takes one. */
export function givenValue(given: GivenOptions, option: string): string | undefined {
  const value = given[option];
  return typeof value === "string" ? value : undefined;
}
