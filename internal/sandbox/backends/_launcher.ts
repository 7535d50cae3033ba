/** The lines of bash that stand before bubblewrap: what a command inherits, and cannot lift. */
import type { CommandGroup } from "../cgroup.ts";
import { CPU_SECONDS, FILE_BYTES } from "../sandbox.ts";

/** What a starter says first that has named pipes. */
export const HAS_PIPES = "pipes";

/**
 * Runs before anything of the sandbox. It closes what this process inherited and its children would
 * inherit in turn (no runtime does), sets the limits on itself, which what it becomes cannot lift (one
 * that cannot be set is lower already), and becomes bubblewrap, with the filter as 9, variables as 8,
 * what hears of its end as 7, and an environment of nothing: `/proc/1/environ` shows it in the sandbox.
 * Node's pipes are sockets, which `/dev/stdout` cannot be opened through, so that real pipes are put
 * before them.
 */
const LAUNCH = `launch() {
  group=$1 memory=$2 heard=$3
  for file in /proc/self/fd/*; do
    number=\${file##*/}
    if [ "$number" -gt 2 ] && [ "$number" != "$heard" ]; then eval "exec $number>&-"; fi
  done
  if [ -n "$heard" ]; then
    if [ "$heard" != 7 ]; then eval "exec 7>&$heard $heard>&-"; fi
    echo $BASHPID >&7
  fi
  if [ -n "$group" ]; then echo $BASHPID > "$group" || exit 125; fi
  echo 1000 > /proc/self/oom_score_adj || exit 125
  ulimit -c 0
  ulimit -f "$file_kib" 2>/dev/null
  ulimit -S -t "$cpu" 2>/dev/null
  ulimit -H -t $((cpu + 1)) 2>/dev/null
  if [ -n "$memory" ]; then ulimit -v "$memory" 2>/dev/null; fi
  [ -r "$filter" ] || { echo "the sandbox's own files are gone: start the session anew" >&2; exit 125; }
  exec 9<"$filter" || exit 125
  if [ -n "$variables" ]; then exec 8<"$variables" || exit 125; fi
  if [ -S /proc/self/fd/1 ]; then
    exec > >(exec -c "$cat" 7>&- 8<&- 9<&-) 2> >(exec -c "$cat" >&2 7>&- 8<&- 9<&-)
  fi
  exec -c "\${words[@]}"
}
group=$1 memory=$2 filter=$3 variables=$4 cpu=$5 file_kib=$6 cat=$7
shift 7
words=("$@")`;

const ONE = `${LAUNCH}
launch "$group" "$memory" ""`;

/**
 * Each line of its input is one more: its memory, a comma, and its group, both of which may be empty. With
 * `-m` each leads a process group of its own. Four of its descriptors are each one's, which follow those of
 * the one before: its input, its outputs, and what hears of its end. Where it could make named pipes, these
 * are the outputs, and come without a program between. At the end of its input it ends those that run.
 */
const MANY = `${LAUNCH}
set -m
pipes=$group names=()
for number in $memory; do names+=("$pipes/$number.out" "$pipes/$number.err"); done
if [ -n "$pipes" ] && mkfifo -m 600 "\${names[@]}"; then echo ${HAS_PIPES}; else pipes=; echo none; fi
next=3 number=0
while IFS=, read -r memory group; do
  heard=$((next + 3))
  if [ -n "$pipes" ]; then
    launch "$group" "$memory" $heard <&$next >"$pipes/$number.out" 2>"$pipes/$number.err" &
  else
    launch "$group" "$memory" $heard <&$next >&$((next + 1)) 2>&$((next + 2)) &
  fi
  eval "exec $next>&- $((next + 1))>&- $((next + 2))>&- $heard>&-"
  next=$((heard + 1)) number=$((number + 1))
done
for leader in $(jobs -rp); do kill -KILL -- "-$leader" 2>/dev/null; done`;

/** What launches have in common. */
export interface Launch {
  /** The file with the system call filter, which bubblewrap finds as 9. */
  readonly filter: string;
  /** The file with arguments that nobody else may read, as 8. */
  readonly variables: string | undefined;
  readonly cat: string;
  /** bubblewrap with its arguments, and what comes before it. */
  readonly words: readonly string[];
}

/** The arguments of bash for one launch. @param memoryBytes where no group bounds memory */
export function launcherArguments(
  launch: Launch,
  group: CommandGroup | undefined,
  memoryBytes: number,
): string[] {
  return shellArguments(ONE, launch, [group?.join ?? "", memoryOf(group, memoryBytes)]);
}

/**
 * The arguments of bash for launches that are told one by one, by `launchLine`. Its first line says
 * whether there are named pipes.
 * @param most how many launches it is told at most @param pipes the folder for named pipes, if there are to be
 */
export function startingArguments(launch: Launch, most: number, pipes = ""): string[] {
  const numbers = Array.from({ length: most }, (_, number) => number).join(" ");
  return shellArguments(MANY, launch, [pipes, numbers]);
}

/** What one more launch is told by. */
export function launchLine(group: CommandGroup | undefined, memoryBytes: number): string {
  return `${memoryOf(group, memoryBytes)},${group?.join ?? ""}\n`;
}

function shellArguments(
  script: string,
  { filter, variables, cat, words }: Launch,
  own: readonly string[],
): string[] {
  const bounds = [String(CPU_SECONDS), String(FILE_BYTES >> 10)];
  const files = [filter, variables ?? ""];
  return ["--norc", "-c", script, "sion-sandbox", ...own, ...files, ...bounds, cat, ...words];
}

/** Address space of a process, KiB; empty where a group bounds memory. */
function memoryOf(group: CommandGroup | undefined, memoryBytes: number): string {
  return group?.boundsMemory === true ? "" : String(memoryBytes / 1024);
}
