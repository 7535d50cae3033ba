/** The capabilities of sessions, sorted. A new one is a file and a line here. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { CapabilitySettings } from "../capability_settings.ts";
import { AgentError } from "../errors.ts";
import type { Brought } from "../pre_approvals.ts";
import type {
  AnyCapability,
  Capability,
  CapabilityMachine,
  CapabilityOption,
  GivenOptions,
  OpeningMachine,
} from "./_capability.ts";
import { budget } from "./budget.ts";
import { confidential } from "./confidential.ts";
import { imageModel } from "./image_model.ts";
import { instructions } from "./instructions.ts";
import { memory } from "./memory.ts";
import { outputSchema } from "./output_schema.ts";
import { paidFetch } from "./paid_fetch.ts";
import { project } from "./project.ts";
import { quarantine } from "./quarantine.ts";
import { shell } from "./shell.ts";
import { skills } from "./skills.ts";
import { tasks } from "./tasks.ts";
import { web } from "./web.ts";

export type { AnyCapability, CapabilityOption, GivenOptions } from "./_capability.ts";
export { budgetOf, sharedBudgets } from "./budget.ts";
export type { Shell } from "./shell.ts";
export type { SkillsService } from "./skills.ts";
export type { Web } from "./web.ts";

/** Every capability of this version. */
export const capabilities = [
  budget,
  confidential,
  imageModel,
  instructions,
  memory,
  outputSchema,
  paidFetch,
  project,
  quarantine,
  shell,
  skills,
  tasks,
  web,
] as const satisfies readonly AnyCapability[];

type Known = (typeof capabilities)[number];
type ServiceOf<C> = C extends Capability<string, infer _, infer Service> ? Service : never;

/** The name of a capability. */
export type CapabilityName = Known["name"];

/** What tools are handed, by the names of the capabilities that the session has. */
export type Services = { readonly [C in Known as C["name"]]?: ServiceOf<C> };

/** The options of all capabilities, in the capabilities' order. */
export function capabilityOptions(): readonly CapabilityOption[] {
  return capabilities.flatMap(({ options }) => options);
}

/** What options say, checked. @throws {AgentError} */
export async function readCapabilities(
  given: GivenOptions,
  machine: CapabilityMachine,
  known: readonly AnyCapability[] = capabilities,
): Promise<CapabilitySettings> {
  const settings: Record<string, JsonValue> = {};
  for (const capability of known) {
    const read = await capability.read(given, machine) as JsonValue | undefined;
    if (read !== undefined) settings[capability.name] = read;
  }
  return settings;
}

/** What a session's capabilities give it while it works. */
export interface OpenCapabilities extends AsyncDisposable {
  readonly services: Services;
  /** What the model is told of them, in the list's order. */
  readonly instructions: readonly string[];
  /** The rules that they bring. */
  readonly rules: readonly Brought[];
}

/**
 * Opens what a session has. When one cannot be opened, those before it are closed again.
 * @throws {AgentError} also when the session has what this version does not know.
 */
export async function openCapabilities(
  settings: CapabilitySettings,
  machine: OpeningMachine,
  known: readonly AnyCapability[] = capabilities,
): Promise<OpenCapabilities> {
  const unknown = Object.keys(settings).find((name) => known.every((one) => one.name !== name));
  if (unknown !== undefined) {
    throw new AgentError(
      "session-newer",
      `session ${machine.session} has ${unknown}, which this sion does not know: update sion`,
    );
  }
  await using closing = new AsyncDisposableStack();
  const services: Record<string, unknown> = {};
  const told: string[] = [];
  const rules: Brought[] = [];
  for (const { name, settings: schema, open, instructions: tell, preApproves } of known) {
    const kept = settings[name];
    if (kept === undefined) continue;
    const read = schema.parse(kept) as JsonValue;
    const service: unknown = await open?.(read, machine);
    if (isDisposable(service)) closing.use(service);
    const line = tell?.(read, service);
    if (line !== undefined) told.push(line);
    if (open === undefined) continue;
    services[name] = service;
    rules.push(...preApproves?.(service) ?? []);
  }
  const all = closing.move();
  return {
    services: services as Services,
    instructions: told,
    rules,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function isDisposable(value: unknown): value is AsyncDisposable {
  return typeof value === "object" && value !== null && Symbol.asyncDispose in value;
}
