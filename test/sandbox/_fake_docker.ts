/**
 * A `docker` that keeps what it was asked, answers questions as an engine with one image and one
 * network would, and runs what is to be run in a container as it is, on this machine.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The image it has. */
export const IMAGE = `mirror.example/library/alpine@sha256:${"d9".repeat(32)}`;

const SCRIPT = `#!/bin/sh
here=\${0%/*}
{ for word in "$@"; do printf '%s\\n' "$word"; done; printf '\\n'; } >> "$here/asked"
[ -e "$here/down" ] && { echo "Cannot connect to the Docker daemon" >&2; exit 1; }
case "$1 $2" in
  "version "*) exit 0 ;;
  "image inspect") [ "$5" = "${IMAGE}" ] && echo sha256:aa || exit 1 ;;
  "network inspect")
    case "$5" in sion-egress) echo sion-egress ;; f00d) echo bridge ;; *) exit 1 ;; esac ;;
  "ps --all") sed 's/ .*//' "$here/left" 2>/dev/null ;;
  "container inspect") cat "$here/left" ;;
  "rm --force") touch "$here/removed-$3"; exit 0 ;;
  "run --rm")
    name=
    while [ "$1" != --entrypoint ]; do
      [ "$1" = --name ] && name=$2
      shift
    done
    program=$2
    shift 3
    # A shell gives what runs beside it an empty input, unless it is told.
    exec 3<&0
    "$program" "$@" <&3 3<&- &
    child=$!
    until [ -e "$here/removed-$name" ] || ! kill -0 $child 2>/dev/null; do sleep 0.02; done
    # A shell tells of what was killed; an engine does not.
    [ -e "$here/removed-$name" ] && exec 2>/dev/null && kill -9 $child
    wait $child ;;
esac
`;

/** One, in a folder of its own. */
export interface FakeDocker {
  readonly file: string;
  /** What it was asked so far, a list of words a question. */
  asked(): readonly (readonly string[])[];
  /** Makes it answer nothing any more. */
  stop(): void;
  /** Containers that are there: a line each of id, and whose it is by its label. */
  left(lines: string): void;
}

/** Makes one in a folder. */
export function fakeDocker(parent: string, name: "docker" | "podman" = "docker"): FakeDocker {
  const folder = join(parent, "docker");
  mkdirSync(folder);
  const file = join(folder, name);
  writeFileSync(file, SCRIPT, { mode: 0o755 });
  return {
    file,
    asked() {
      const text = existsSync(join(folder, "asked"))
        ? readFileSync(join(folder, "asked"), "utf8")
        : "";
      return text.split("\n\n").filter((one) => one !== "").map((one) => one.split("\n"));
    },
    stop: () => writeFileSync(join(folder, "down"), ""),
    left: (lines) => writeFileSync(join(folder, "left"), lines),
  };
}
