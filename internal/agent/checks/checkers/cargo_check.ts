/** Rust: `cargo check`, offline where the sandbox has no network. */
import { problemOf } from "./_checker.ts";
import type { Checker } from "./_checker.ts";

const LINE =
  /^(?<file>[^\s:][^:\n]*\.rs):(?<line>\d+):(?<column>\d+): (?<text>(?:error|warning)\b.*)$/gm;

export const cargoCheck: Checker = {
  name: "cargo check",
  claims: ({ names }) => names.has("Cargo.toml"),
  command: ({ online }) =>
    `cargo check --workspace --all-targets --message-format short --color never${
      online ? "" : " --offline"
    }`,
  problems: (output) => [...output.matchAll(LINE)].map(problemOf),
};
