/** Go: `go vet`, which compiles too. */
import { problemOf } from "./_checker.ts";
import type { Checker } from "./_checker.ts";

const LINE =
  /^(?:vet: )?(?<file>[^\s:][^:\n]*\.go):(?<line>\d+):(?:(?<column>\d+):)? (?<text>\S.*)$/gm;

export const goVet: Checker = {
  name: "go vet",
  claims: ({ names }) => names.has("go.mod"),
  command: ({ online }) => `${online ? "" : "GOPROXY=off GOFLAGS=-mod=mod "}go vet ./...`,
  problems: (output) => [...output.matchAll(LINE)].map(problemOf),
};
