/** The command line: the tree of commands, help, errors, completion. */
export type { AnyCommand } from "./command.ts";
export { allFlags, argumentName, usagesOf } from "./command.ts";
export { loadCommands } from "./commands/mod.ts";
export type { Program } from "./context.ts";
export { ERRORS } from "./error_codes.ts";
export { optionAbout, optionLabel } from "./help.ts";
export { gatewayProgram } from "./gateway_program.ts";
export { runGatewayMain, runMain } from "./main.ts";
export { EXIT_CODES } from "./topics/exit_codes.ts";
export { topics } from "./topics/mod.ts";
