import { expect, test } from "vitest";
import { minuteText } from "#internal/agent/mod.ts";

test("minuteText() gives the minute in UTC, and says that it is", () => {
  expect(minuteText(Date.UTC(2026, 11, 1, 5, 22, 59, 999))).toBe("2026-12-01 05:22Z");
  expect(minuteText(0)).toBe("1970-01-01 00:00Z");
});
