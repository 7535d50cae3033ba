/** The order in which the test runner begins files: the longest first, the others as it would. */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ROOT } from "./_project.ts";
import { LONGEST } from "./_test_projects.ts";

/** What the runner sorts by; its own order is by size, or by how long files took here before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.indexOf(relative(ROOT, moduleId));
  return place < 0 ? LONGEST.length : place;
}
