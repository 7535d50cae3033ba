/** A process that is killed while a program of its model's calls tools. */
import process from "node:process";
import { beginProgram } from "../agent/_program_crash.ts";

await beginProgram(process.argv[2] ?? "");
