import { describe, expect, test } from "vitest";
import { testFolder } from "./_machine.ts";
import {
  continueScenario,
  EXPECTED,
  prepareFolder,
  remainsOf,
  runChat,
  runScenario,
} from "./_crash.ts";
import type { AtPoint } from "./_crash.ts";

class Dead extends Error {}

/** Dies at the `n`th point, and at every point after it: nothing more is done by this process. */
function dyingAt(n: number): { readonly atPoint: AtPoint; readonly points: string[] } {
  const points: string[] = [];
  return {
    points,
    atPoint(name) {
      points.push(name);
      if (points.length >= n) throw new Dead(name);
    },
  };
}

const never: AtPoint = () => {};
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((pid) => ({ pid, started: "" }));

async function dies(work: Promise<unknown>): Promise<void> {
  await expect(work).rejects.toBeInstanceOf(Error);
}

describe("a session whose process ends at any point", () => {
  test("goes on with every call made once, whatever the point [A-066 A-068 A-635]", async () => {
    const whole = dyingAt(Infinity);
    const folder = testFolder();
    prepareFolder(folder);
    await runScenario(folder, whole.atPoint);
    expect(remainsOf(folder)).toEqual({ paid: EXPECTED, file: "bob 1\n" });
    expect(whole.points.length).toBeGreaterThan(30);
    for (let n = 1; n <= whole.points.length; n++) {
      const place = testFolder();
      prepareFolder(place);
      await dies(runScenario(place, dyingAt(n).atPoint, FIRST));
      const end = await continueScenario(place, never, THIRD);
      const name = whole.points[n - 1];
      // A session that is there knows its task.
      if (name === "before session-opened") {
        expect(remainsOf(place).paid, `point ${n}, ${name}`).toEqual([]);
        continue;
      }
      expect(end?.how, `point ${n}, ${name}`).toBe("done");
      expect(remainsOf(place), `point ${n}, ${name}`).toEqual({ paid: EXPECTED, file: "bob 1\n" });
    }
  });

  test("goes on when the process that continues it ends too [A-068]", async () => {
    for (let first = 8; first <= 20; first += 4) {
      for (let second = 1; second <= 7; second += 3) {
        const place = testFolder();
        prepareFolder(place);
        await dies(runScenario(place, dyingAt(first).atPoint, FIRST));
        await dies(continueScenario(place, dyingAt(second).atPoint, SECOND));
        const end = await continueScenario(place, never, THIRD);
        expect(end?.how, `points ${first}, ${second}`).toBe("done");
        expect(remainsOf(place), `points ${first}, ${second}`).toEqual({
          paid: EXPECTED,
          file: "bob 1\n",
        });
      }
    }
  });
});

describe("a conversation whose process ends at any point", () => {
  test("goes on when what was cut off is handed in again, and pays each once [A-066 A-068 C-009 C-026]", async () => {
    const whole = dyingAt(Infinity);
    const folder = testFolder();
    prepareFolder(folder);
    const replies = await runChat(folder, 0, () => {}, whole.atPoint);
    expect(remainsOf(folder).paid).toEqual(["1.1 bob 1", "3.1 carol 2"]);
    expect(replies.map(({ said }) => said)).toEqual([
      "Paid.",
      "This session is called Bob.",
      "Forgot the last message and its answer. What its calls did stays done: ledger_pay.",
      "Paid.",
      "It was paid.",
      "Welcome.",
      expect.stringMatching(/^Shortened: about [\d,]+ tokens became \d+\.$/),
      "From the next turn on this chat asks that of the agent.",
      expect.stringMatching(/^The next message starts a new session/),
    ]);
    for (
      const name of [
        "title-given",
        "message-forgotten",
        "answer-forgotten",
        "choices-made",
        "compacted",
      ]
    ) {
      expect(whole.points).toContain(`after ${name}`);
    }
    expect(whole.points.length).toBeGreaterThan(50);
    for (let n = 1; n <= whole.points.length; n++) {
      const place = testFolder();
      prepareFolder(place);
      let at = 0;
      const name = `point ${n}, ${whole.points[n - 1]}`;
      await dies(runChat(place, 0, (step) => at = step, dyingAt(n).atPoint, FIRST));
      await runChat(place, at, () => {}, never, SECOND);
      const { paid } = remainsOf(place);
      const to = (payee: string) => paid.filter((one) => one.includes(payee)).length;
      expect(to("bob"), name).toBe(1);
      expect(to("carol"), name).toBe(1);
    }
  });
});
