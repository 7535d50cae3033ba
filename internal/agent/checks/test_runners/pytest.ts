import { isPython } from "../project.ts";
import type { TestRunner } from "./_runner.ts";

/** Python's own runner where pytest is not there. */
export const pytest: TestRunner = {
  name: "pytest",
  claims: (project) =>
    isPython(project) &&
    ([...project.names].some((name) => /^(?:tests?|test_.*\.py|.*_test\.py)$/.test(name)) ||
      ["pytest.ini", "conftest.py", "pyproject.toml"].some((name) => project.names.has(name))),
  command(_project, filter) {
    const only = filter === undefined ? "" : ` -k ${filter}`;
    return "if python3 -c 'import pytest' 2>/dev/null; " +
      `then python3 -m pytest -q --tb=short -rfE --color=no${only}; ` +
      `else python3 -m unittest discover -v${only}; fi`;
  },
};
