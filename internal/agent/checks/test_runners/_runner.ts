/** What runs a project's tests. One file a runner; `mod.ts` lists them. */
import type { Project } from "../project.ts";

/** A runner. */
export interface TestRunner {
  readonly name: string;
  /** Whether a project is one whose tests it runs. */
  claims(project: Project): boolean;
  /** The command, for a shell. @param filter a word quoted for the shell: only tests of that name */
  command(project: Project, filter: string | undefined): string;
}
