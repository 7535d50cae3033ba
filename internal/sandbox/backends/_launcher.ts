/** The lines of bash that stand before bubblewrap: what a command inherits, and cannot lift. */
import type { CommandGroup } from "../cgroup.ts";
import { CPU_SECONDS, FILE_BYTES } from "../sandbox.ts";

/**
 * Runs before anything of the sandbox. It closes what this process inherited and its children would
 * inherit in turn (no runtime does), sets the limits on itself, which what it becomes cannot lift (one
 * that cannot be set is lower already), and becomes bubblewrap, with the filter as 9, variables as 8
 * and an environment of nothing: `/proc/1/environ` shows it in the sandbox. Node's pipes are sockets,
 * which `/dev/stdout` cannot be opened through, so that real pipes are put before them.
 */
const LAUNCHER = `for file in /proc/self/fd/*; do
  number=\${file##*/}
  if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
done
group=$1 filter=$2 variables=$3 cpu=$4 memory=$5 file=$6 cat=$7
shift 7
if [ -n "$group" ]; then echo $$ > "$group" || exit 125; fi
echo 1000 > /proc/self/oom_score_adj || exit 125
ulimit -c 0
ulimit -f "$file" 2>/dev/null
ulimit -S -t "$cpu" 2>/dev/null
ulimit -H -t $((cpu + 1)) 2>/dev/null
if [ -n "$memory" ]; then ulimit -v "$memory" 2>/dev/null; fi
[ -r "$filter" ] || { echo "the sandbox's own files are gone: start the session anew" >&2; exit 125; }
exec 9<"$filter" || exit 125
if [ -n "$variables" ]; then exec 8<"$variables" || exit 125; fi
if [ -S /proc/self/fd/1 ]; then exec > >(exec -c "$cat" 8<&- 9<&-) 2> >(exec -c "$cat" >&2 8<&- 9<&-); fi
exec -c "$@"`;

/** What one launch is made of. */
export interface Launch {
  readonly group: CommandGroup | undefined;
  /** The file with the system call filter, which bubblewrap finds as 9. */
  readonly filter: string;
  /** The file with arguments that nobody else may read, as 8. */
  readonly variables: string | undefined;
  /** Address space of a process, bytes, where no group bounds memory. */
  readonly memoryBytes: number;
  readonly cat: string;
  /** bubblewrap with its arguments, and what comes before it. */
  readonly words: readonly string[];
}

/** The arguments of bash. */
export function launcherArguments(launch: Launch): string[] {
  const { group, filter, variables, memoryBytes, cat, words } = launch;
  return [
    "--norc",
    "-c",
    LAUNCHER,
    "sion-sandbox",
    group?.join ?? "",
    filter,
    variables ?? "",
    String(CPU_SECONDS),
    group?.boundsMemory === true ? "" : String(memoryBytes / 1024),
    String(FILE_BYTES >> 10),
    cat,
    ...words,
  ];
}
