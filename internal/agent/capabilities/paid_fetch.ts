/** Fetching over HTTP what may charge, paid for out of the agent's budget. */
import * as z from "zod";
import type { Reach } from "#internal/runtime/mod.ts";
import { AgentError } from "../errors.ts";
import { defineCapability, givenValue } from "./_capability.ts";

const REACHES = ["public", "local"] as const;

/** `--paid-fetch`, or `--paid-fetch local` for servers of this machine too, as on a devnet. */
export const paidFetch = defineCapability({
  name: "paid-fetch",
  options: [{
    name: "paidFetch",
    kind: "value",
    placeholder: REACHES.join("|"),
    about: "fetch over HTTP and pay if the server charges; local: from this machine too",
    bare: "public",
    default: "off",
    offers: REACHES,
  }],
  settings: z.strictObject({ reach: z.enum(REACHES) }),
  async read(given) {
    await Promise.resolve();
    const value = givenValue(given, "paidFetch");
    if (value === undefined) return undefined;
    const reach = REACHES.find((known) => known === value);
    if (reach !== undefined) return { reach };
    throw new AgentError(
      "option",
      `--paid-fetch ${value} is neither public nor local: give one of them, or nothing`,
    );
  },
  open: ({ reach }): Promise<Reach> =>
    Promise.resolve({ loopback: reach === "local", private: false }),
});
