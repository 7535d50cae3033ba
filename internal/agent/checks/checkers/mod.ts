/** The checkers. A new one is a file and a line here. */
import type { Checker } from "./_checker.ts";
import { cargoCheck } from "./cargo_check.ts";
import { goVet } from "./go_vet.ts";
import { python } from "./python.ts";
import { tsc } from "./tsc.ts";

export type { Checker, Problem } from "./_checker.ts";

/** A project may be several at once: all that claim it are run, in this order. */
export const checkers: readonly Checker[] = [cargoCheck, goVet, python, tsc];
