/** docs/reference/errors.md: every code with its sentence, from the one table of them. */
import { ERRORS } from "#internal/cli/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

/** The reference of errors. */
export const errorsPage: Page = {
  path: "docs/reference/errors.md",
  text() {
    const rows = Object.entries(ERRORS).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([code, { when, exit, example }]) => [
        `<a id="${code}"></a>\`${code}\``,
        when,
        `error: ${example}`,
        String(exit ?? 1),
      ]);
    return Promise.resolve(
      [
        "# Errors",
        MADE_BY,
        "An error is one line on standard error: what is wrong with the value given, a colon, what",
        'to do. With `--json` it is also `{"code", "error"}` on standard output. Codes are never',
        "renamed. What lies below an error shows with `--verbose`.",
        "",
        table(["code", "when", "as it is printed", "exit"], rows),
        "",
      ].join("\n"),
    );
  },
};
