import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Narrower, a diff or a question wraps too often to be read. */
const LEAST_COLUMNS = 60;

/** The terminal shows UTF-8 and is wide enough for `sion agent talk`. */
export const terminal: Check = {
  name: "terminal",
  ofAgents: true,
  run({ env, terminal: { isTty, columns } }) {
    if (!isTty) return fine("there is no terminal here");
    const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
    if (!/utf-?8/i.test(locale)) {
      return look(
        `the locale is ${locale === "" ? "not set" : locale}, so signs may come out wrong`,
        "set LANG to one of UTF-8, as C.UTF-8, or give --plain",
      );
    }
    if (env["TERM"] === "dumb" || columns < LEAST_COLUMNS) {
      return look(`the terminal has ${columns} columns`, "widen it, or give --plain");
    }
    return fine(`UTF-8, ${columns} columns`);
  },
};
