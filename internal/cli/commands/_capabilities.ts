/** The options of sessions' capabilities as options of commands, and what was given of them. */
import type { CapabilityOption, GivenOptions } from "#internal/agent/mod.ts";
import { capabilityOptions } from "#internal/agent/mod.ts";
import type { Flag, Flags, Reader } from "../command.ts";
import { list, toggle, value } from "../command.ts";
import { text } from "../readers.ts";

/** Options of all capabilities, for a command that opens sessions or keeps how they are opened. */
export function capabilityFlags(): Flags {
  return Object.fromEntries(capabilityOptions().map((option) => [option.name, flagOf(option)]));
}

/** What was given of them, as sessions are opened with it. */
export function givenCapabilities(flags: { readonly [name: string]: unknown }): GivenOptions {
  const given: Record<string, string | boolean | readonly string[]> = {};
  for (const { name, kind } of capabilityOptions()) {
    const one = flags[name];
    if (kind === "toggle" && one === true) given[name] = true;
    if (kind === "value" && typeof one === "string") given[name] = one;
    if (kind === "list" && Array.isArray(one) && one.length > 0) given[name] = one as string[];
  }
  return given;
}

function flagOf(option: CapabilityOption): Flag<unknown> {
  const { kind, about, placeholder = "TEXT", offers, bare } = option;
  if (kind === "toggle") return toggle(about);
  const reader: Reader<string> = {
    ...text(placeholder),
    ...(offers === undefined ? {} : { offers }),
  };
  if (kind === "list") return list(reader, about);
  return value(reader, about, {
    ...(option.default === undefined ? {} : { default: option.default }),
    ...(bare === undefined ? {} : { bare }),
  });
}
