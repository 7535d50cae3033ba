/** The checks of `sion doctor`, in the order in which they are shown. */
import type { Check } from "./_check.ts";
import { budgets } from "./budgets.ts";
import { clock } from "./clock.ts";
import { containers } from "./containers.ts";
import { copies } from "./copies.ts";
import { credentials } from "./credentials.ts";
import { disk } from "./disk.ts";
import { home } from "./home.ts";
import { hooks } from "./hooks.ts";
import { leftOver } from "./left_over.ts";
import { locks } from "./locks.ts";
import { models } from "./models.ts";
import { node } from "./node.ts";
import { pending } from "./pending.ts";
import { ports } from "./ports.ts";
import { profiles } from "./profiles.ts";
import { python } from "./python.ts";
import { runtime } from "./runtime.ts";
import { sandbox } from "./sandbox.ts";
import { signatures } from "./signatures.ts";
import { skills } from "./skills.ts";
import { stores } from "./stores.ts";
import { terminal } from "./terminal.ts";
import { wallets } from "./wallets.ts";

/** All checks. A new one is its file and its line here. */
export const checks: readonly Check[] = [
  runtime,
  copies,
  signatures,
  home,
  disk,
  stores,
  locks,
  leftOver,
  clock,
  wallets,
  node,
  pending,
  ports,
  sandbox,
  containers,
  python,
  models,
  credentials,
  profiles,
  budgets,
  skills,
  hooks,
  terminal,
];

export { runChecks } from "./run_checks.ts";
