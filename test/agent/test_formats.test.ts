/** What runners print, read for counts and names: recorded outputs, shortened. */
import { describe, expect, test } from "vitest";
import { checkers } from "../../internal/agent/checks/checkers/mod.ts";
import { readTests } from "../../internal/agent/checks/test_formats/mod.ts";

/** Name, output, and what is to be read in it. */
const RECORDED: readonly (readonly [string, string, number, number, readonly string[]])[] = [
  [
    "cargo test, over several programs",
    "running 2 tests\ntest tests::adds ... ok\ntest tests::adds_wrongly ... FAILED\n\n" +
    "failures:\n\n---- tests::adds_wrongly stdout ----\n\nfailures:\n    tests::adds_wrongly\n\n" +
    "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n" +
    "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    4,
    1,
    ["tests::adds_wrongly"],
  ],
  [
    "go test -v",
    "=== RUN   TestFine\n--- PASS: TestFine (0.00s)\n=== RUN   TestWrong\n=== RUN   TestWrong/part\n" +
    "    b_test.go:8: wrong\n--- FAIL: TestWrong (0.00s)\n    --- FAIL: TestWrong/part (0.00s)\nFAIL\n" +
    "FAIL\texample.com/b\t0.002s\n# example.com/c\nc/c.go:3:1: syntax error\n" +
    "FAIL\texample.com/c [build failed]\nFAIL\n",
    1,
    2,
    ["TestWrong", "TestWrong/part", "example.com/c [build failed]"],
  ],
  [
    "jest",
    "FAIL ./sum.test.js\n  ● sums › add wrongly\n\n    expect(received).toBe(expected)\n\n" +
    "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\n" +
    "Snapshots:   0 total\nTime:        0.3 s\n",
    3,
    1,
    ["sums › add wrongly"],
  ],
  [
    "mocha",
    "\n  sums\n    ✔ add\n    1) add wrongly\n\n  1 passing (4ms)\n  1 failing\n\n" +
    "  1) sums\n       add wrongly:\n\n      AssertionError: 2 == 3\n",
    1,
    1,
    ["sums"],
  ],
  [
    "node:test for people",
    "✔ adds (0.5ms)\n✖ adds wrongly (1.2ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\n\n" +
    "✖ failing tests:\n\ntest at sum.test.js:4:1\n✖ adds wrongly (1.2ms)\n",
    1,
    1,
    ["adds wrongly"],
  ],
  [
    "node:test as TAP",
    "TAP version 13\nok 1 - adds\nnot ok 2 - adds wrongly\n1..2\n# tests 2\n# pass 1\n# fail 1\n",
    1,
    1,
    ["adds wrongly"],
  ],
  [
    "pytest",
    ".F\n=== FAILURES ===\n=== short test summary info ===\n" +
    "FAILED test_a.py::TestSum::test_wrong - assert 2 == 3\nERROR test_b.py - NameError: x\n" +
    "1 failed, 5 passed, 2 skipped, 1 error in 0.12s\n",
    5,
    2,
    ["test_a.py::TestSum::test_wrong", "test_b.py"],
  ],
  [
    "unittest",
    "test_adds (test_sum.TestSum) ... ok\nFAIL: test_wrong (test_sum.TestSum)\n" +
    "Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n",
    2,
    1,
    ["test_wrong (test_sum.TestSum)"],
  ],
];

describe("readTests()", () => {
  test.each(RECORDED)("reads %s [A-184..A-189]", (_name, output, passed, failed, failures) => {
    expect(readTests(output)).toEqual({ passed, failed, failures });
  });

  test("adds up what one command ran in several languages", () => {
    const [cargo, go] = RECORDED;
    expect(readTests(`${cargo?.[1]}${go?.[1]}`)).toMatchObject({ passed: 5, failed: 3 });
  });

  test("reads nothing in what tells of no tests, in time that its length bounds", () => {
    expect(readTests("make: Nothing to be done for 'test'.\n")).toBeUndefined();
    for (const text of [" ", "● ", "FAIL  a > ", "--- FAIL: ", "1 a, ", "test "]) {
      readTests(text.repeat(200_000));
      readTests(`${text.repeat(20)}\n`.repeat(20_000));
    }
  });
});

describe("checkers", () => {
  const read = (name: string, output: string) =>
    checkers.find((checker) => checker.name === name)?.problems(output);

  test("read file, line, column and text [A-178..A-182]", () => {
    expect(
      read(
        "cargo check",
        "    Checking a v0.1.0 (/workspace)\nsrc/lib.rs:3:23: error[E0308]: mismatched types: expected `u32`\nerror: could not compile `a`\n",
      ),
    )
      .toEqual([{
        file: "src/lib.rs",
        line: 3,
        column: 23,
        text: "error[E0308]: mismatched types: expected `u32`",
      }]);
    expect(read("tsc", "src/a.ts(1,14): error TS2322: Type 'string' is not assignable.\n  more\n"))
      .toEqual([{
        file: "src/a.ts",
        line: 1,
        column: 14,
        text: "error TS2322: Type 'string' is not assignable.",
      }]);
    expect(
      read("ruff or compileall", "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n"),
    )
      .toEqual([{ file: "a.py", line: 1, column: 8, text: "F401 [*] `os` imported but unused" }]);
    expect(
      read(
        "ruff or compileall",
        "*** Error compiling './a.py'...\n  File \"./a.py\", line 1\n    def broken(:\n               ^\nSyntaxError: invalid syntax\n\n",
      ),
    )
      .toEqual([{ file: "a.py", line: 1, text: "SyntaxError: invalid syntax" }]);
    expect(
      read(
        "go vet",
        "# example.com/a\n./a.go:7:14: fmt.Printf format %d has arg \"text\"\nvet: ./b.go:1:1: expected 'package'\n",
      ),
    )
      .toEqual([
        { file: "a.go", line: 7, column: 14, text: 'fmt.Printf format %d has arg "text"' },
        { file: "b.go", line: 1, column: 1, text: "expected 'package'" },
      ]);
  });

  test("read output of any kind in time that its length bounds", () => {
    for (const { problems } of checkers) {
      for (const text of ["a", "a(1,", ' File "a", line 1\n  ', "a.go:", "a.py:1:", "a.rs:1:1: "]) {
        problems(text.repeat(200_000));
        problems(`${text.repeat(10)}\n`.repeat(20_000));
      }
    }
  });
});
