/** The web: pages that are public, and searches with a provider of the operator's. */
import * as z from "zod";
import { chooseProvider, createSearch, SEARCH_SETTING } from "../search_providers/mod.ts";
import type { ChosenProvider, Search } from "../search_providers/mod.ts";
import { createPdfText } from "../web/pdf_text.ts";
import { createPageReader } from "../web/web.ts";
import type { PageReader } from "../web/web.ts";
import { defineCapability } from "./_capability.ts";
import type { CapabilityMachine } from "./_capability.ts";

/** What the tools of the web use. */
export interface Web {
  readonly pages: PageReader;
  /** Missing where no provider is set. */
  readonly search?: Search;
}

/** `--web`. The provider of searches is looked up each time the session is opened. */
export const web = defineCapability({
  name: "web",
  options: [{
    name: "web",
    kind: "toggle",
    about: "read public pages of the web; search it too, with a key for Brave or Tavily, or " +
      "SION_SEARCH",
  }],
  settings: z.strictObject({}),
  async read(given, machine) {
    if (given["web"] !== true) return undefined;
    await providerOf(machine);
    return {};
  },
  async open(_settings, machine): Promise<Web> {
    const chosen = await providerOf(machine);
    return {
      pages: createPageReader({ pdfText: createPdfText(machine) }),
      ...(chosen === undefined ? {} : { search: createSearch(chosen) }),
    };
  },
  instructions: () =>
    "You can read public pages of the web. Say of what you found there where it is from.",
});

async function providerOf(
  { env, secrets }: CapabilityMachine,
): Promise<ChosenProvider | undefined> {
  const find = (name: string): Promise<string | undefined> =>
    secrets === undefined ? Promise.resolve(env[name]) : secrets.find(name);
  // What is found as a secret is cut out of messages, and this is none.
  const setting = env[SEARCH_SETTING] || await find(SEARCH_SETTING);
  return await chooseProvider({ setting, find });
}
