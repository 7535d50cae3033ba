import type { TestRunner } from "./_runner.ts";

export const cargoTest: TestRunner = {
  name: "cargo test",
  claims: ({ names }) => names.has("Cargo.toml"),
  command: ({ online }, filter) =>
    `cargo test --workspace --no-fail-fast --color never${online ? "" : " --offline"}` +
    (filter === undefined ? "" : ` -- ${filter}`),
};
