/** What a failed trial of bubblewrap says about the machine, as a sentence with what to do. */
import { readFileSync } from "node:fs";
import { escapeLine } from "#internal/core/mod.ts";

const DOCKER = "or give --shell docker:<image>@sha256:<digest>";

/** Switches of kernels and distributions that forbid namespaces, with what turns them. */
const SWITCHES: readonly { readonly file: string; readonly off: string; readonly on: string }[] = [
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    off: "0",
    on: "sysctl kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    off: "0",
    on: "sysctl user.max_user_namespaces=15000",
  },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    on: "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
  },
];

/** @param said what bubblewrap wrote to its standard error */
export function explainFailure(
  said: string,
  read: (file: string) => string | undefined = readSwitch,
): string {
  const why = escapeLine(said.trim().split("\n").at(-1) ?? "").slice(0, 300);
  const forbidden = SWITCHES.find(({ file, off }) => read(file)?.trim() === off);
  if (/namespace|Operation not permitted|uid map|Permission denied/i.test(said) && forbidden) {
    return "the sandbox does not work: this system gives ordinary programs no user namespaces " +
      `(${why}): run \`${forbidden.on}\` as root, ${DOCKER}`;
  }
  if (/proc/.test(said) && /mount/i.test(said)) {
    return "the sandbox does not work: /proc cannot be mounted here, as in a container without " +
      `the right to (${why}): run outside of the container, ${DOCKER}`;
  }
  return `the sandbox does not work (${why}): mend that, ${DOCKER}`;
}

function readSwitch(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
