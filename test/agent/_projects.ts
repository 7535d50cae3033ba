/** Small projects, each with a mistake and a test that fails, and what the tools are to say of them. */

/** A project and what is found in it. */
export interface SmallProject {
  readonly name: string;
  /** Programs of the system that it needs in the sandbox. */
  readonly programs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What `diagnostics` says, a pattern a line or more. */
  readonly problems?: readonly RegExp[];
  /** The first line of `run_tests`, and the failures that it names. */
  readonly tests?: { readonly counts: RegExp; readonly failures: readonly string[] };
}

const NODE_TEST = `import { test } from "node:test";
import assert from "node:assert";
test("adds", () => assert.equal(1 + 1, 2));
test("adds wrongly", () => assert.equal(1 + 1, 3));
`;

export const PROJECTS: readonly SmallProject[] = [
  {
    name: "a package with node:test",
    programs: ["node", "npm"],
    files: {
      "package.json": '{"name":"a","type":"module","scripts":{"test":"node --test"}}',
      "sum.test.js": NODE_TEST,
    },
    tests: {
      counts: /^npm test: 1 passed, 1 failed \(exit status 1\)$/,
      failures: ["adds wrongly"],
    },
  },
  {
    name: "a makefile that calls node",
    programs: ["make", "node"],
    files: { Makefile: "test:\n\tnode --test\n", "sum.test.mjs": NODE_TEST },
    tests: {
      counts: /^make test: 1 passed, 1 failed \(exit status 2\)$/,
      failures: ["adds wrongly"],
    },
  },
  {
    name: "a project in Python",
    programs: ["python3"],
    files: {
      "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n',
      "a.py": "def broken(:\n    pass\n",
      "test_sum.py": "import unittest\n\nclass TestSum(unittest.TestCase):\n" +
        "    def test_adds(self):\n        self.assertEqual(1 + 1, 2)\n\n" +
        "    def test_adds_wrongly(self):\n        self.assertEqual(1 + 1, 3)\n",
    },
    problems: [/^ruff or compileall: 1 problem$/m, /^a\.py:1: SyntaxError: invalid syntax/m],
    tests: {
      counts: /^pytest: 1 passed, 1 failed \(exit status 1\)$/,
      failures: ["test_adds_wrongly"],
    },
  },
  {
    name: "a module in Go",
    programs: ["go"],
    files: {
      "go.mod": "module example.com/a\n\ngo 1.19\n",
      "a.go": 'package a\n\nimport "fmt"\n\nfunc Add(a, b int) int { return a + b }\n\n' +
        'func Say() { fmt.Printf("%d\\n", "text") }\n',
      "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n' +
        '\tif Add(1, 1) != 2 {\n\t\tt.Fatal("no")\n\t}\n}\n\nfunc TestWrong(t *testing.T) {\n' +
        '\tt.Run("part", func(t *testing.T) { t.Fatal("wrong") })\n}\n',
    },
    problems: [/^go vet: 1 problem$/m, /^a\.go:7:\d+: .*Printf format %d/m],
  },
  {
    name: "a module in Go that builds",
    programs: ["go"],
    files: {
      "go.mod": "module example.com/b\n\ngo 1.19\n",
      "b_test.go": 'package b\n\nimport "testing"\n\nfunc TestFine(t *testing.T) {}\n\n' +
        'func TestWrong(t *testing.T) {\n\tt.Run("part", func(t *testing.T) { t.Fatal("wrong") })\n}\n',
    },
    problems: [/^go vet: no problems$/],
    tests: {
      counts: /^go test: 1 passed, 1 failed \(exit status 1\)$/,
      failures: ["TestWrong", "TestWrong/part"],
    },
  },
  {
    name: "a crate",
    programs: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs":
        'pub fn add(a: u32, b: u32) -> u32 { a + b }\n\npub fn odd() -> u32 { "text" }\n',
    },
    problems: [/^cargo check: 1 problem$/m, /^src\/lib\.rs:3:\d+: error\[E0308\]/m],
  },
  {
    name: "a crate that builds",
    programs: ["cargo"],
    files: {
      "Cargo.toml": '[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "pub fn add(a: u32, b: u32) -> u32 { a + b }\n\n#[cfg(test)]\nmod tests {\n" +
        "    use super::add;\n    #[test]\n    fn adds() { assert_eq!(add(1, 1), 2); }\n" +
        "    #[test]\n    fn adds_wrongly() { assert_eq!(add(1, 1), 3); }\n}\n",
    },
    problems: [/^cargo check: no problems$/],
    tests: {
      counts: /^cargo test: 1 passed, 1 failed \(exit status 101\)$/,
      failures: ["tests::adds_wrongly"],
    },
  },
];
