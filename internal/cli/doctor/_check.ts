/** What a check of `sion doctor` is. One file a check; `mod.ts` lists them. */
import type { ClientOptions } from "#internal/client/mod.ts";
import type { Clock, Random } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { Program } from "../context.ts";

/** What checks look at. */
export interface DoctorMachine {
  readonly program: Program;
  readonly env: Environment;
  /** `$SION_HOME`. */
  readonly home: string;
  readonly clientOptions: ClientOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** The screen, where there is one. */
  readonly terminal: { readonly isTty: boolean; readonly columns: number };
  /** Nothing beyond this machine is asked: `--offline`. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
  /** A path as people read it. */
  readonly shown: (path: string) => string;
}

/** What `--fix` can do: no key is made or moved, nothing is fetched, nothing needs root. */
export interface Repair {
  /** As it is listed before: an imperative, lower case. */
  readonly does: string;
  run(): Promise<void>;
}

/** What a check found. */
export interface Finding {
  /** `look`: it works, or may not matter; `failed`: something that is wanted does not work. */
  readonly standing: "fine" | "look" | "failed";
  /** One sentence, lower case, no full stop. */
  readonly says: string;
  /** What a person does about it. */
  readonly fix?: string;
  readonly repairs?: readonly Repair[];
}

/** A check. It changes nothing. */
export interface Check {
  /** Unique, lower case. */
  readonly name: string;
  /** Whether `sion agent doctor` has it too. */
  readonly ofAgents: boolean;
  /** All of it is asking something over the network: left out with `--offline`. */
  readonly asks?: true;
  run(machine: DoctorMachine): Promise<Finding> | Finding;
}

export function fine(says: string): Finding {
  return { standing: "fine", says };
}

/** @param fix what to do, as in `apt install bubblewrap` */
export function look(says: string, fix: string, repairs: readonly Repair[] = []): Finding {
  return { standing: "look", says, fix, repairs };
}

/** @param fix what to do */
export function failed(says: string, fix: string, repairs: readonly Repair[] = []): Finding {
  return { standing: "failed", says, fix, repairs };
}
