/** All pages. A new one is its file and its line here. */
import type { PageKind } from "../page.ts";
import { page as account } from "./account.ts";
import { page as agent } from "./agent.ts";
import { page as agents } from "./agents.ts";
import { page as claim } from "./claim.ts";
import { page as claims } from "./claims.ts";
import { page as object } from "./object.ts";
import { page as pulse } from "./pulse.ts";
import { page as pulses } from "./pulses.ts";
import { page as search } from "./search.ts";
import { page as tx } from "./tx.ts";
import { page as validators } from "./validators.ts";

/** In alphabetical order of their files. */
export const pages: readonly PageKind[] = [
  account,
  agent,
  agents,
  claim,
  claims,
  object,
  pulse,
  pulses,
  search,
  tx,
  validators,
];
