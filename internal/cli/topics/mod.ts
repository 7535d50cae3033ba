/** Topics of `sion help`. A new one is its file and its line here. */
import { environment } from "./environment.ts";
import { exitCodes } from "./exit_codes.ts";
import { output } from "./output.ts";
import { security } from "./security.ts";

/** All topics, in the order in which help names them. */
export const topics = [exitCodes, environment, output, security] as const;
