/** docs/reference/exit-codes.md. */
import { EXIT_CODES } from "#internal/cli/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

/** The reference of exit codes. */
export const exitCodesPage: Page = {
  path: "docs/reference/exit-codes.md",
  text: () =>
    Promise.resolve(
      ["# Exit codes", MADE_BY, table(["exit", "meaning", "try again?"], EXIT_CODES), ""].join(
        "\n",
      ),
    ),
};
