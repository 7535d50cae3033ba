import type { TestRunner } from "./_runner.ts";

export const goTest: TestRunner = {
  name: "go test",
  claims: ({ names }) => names.has("go.mod"),
  command: ({ online }, filter) =>
    `${online ? "" : "GOPROXY=off GOFLAGS=-mod=mod "}go test -v${
      filter === undefined ? "" : ` -run ${filter}`
    } ./...`,
};
