/** When budgets begin anew: days, weeks from Monday and months of a named time zone. */

/** How long a budget holds. `total` never begins anew. */
export type BudgetPeriod = "day" | "week" | "month" | "total";

/** The periods there are, the shortest first. */
export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;

/** From when until when, ms since the Unix epoch. `total` has no end. */
export interface PeriodSpan {
  readonly fromMs: number;
  readonly untilMs?: number;
}

const DAY_MS = 86_400_000;

/** Whether a text names a time zone, as `UTC` or `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The period that a moment lies in. */
export function periodAt(per: BudgetPeriod, zone: string, nowMs: number): PeriodSpan {
  if (per === "total") return { fromMs: 0 };
  const clock = zoneClock(zone);
  // The date there, as if it were one of UTC: so it is counted on without any rule of the zone.
  const dayMs = Math.floor(clock(nowMs) / DAY_MS) * DAY_MS;
  const date = new Date(dayMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  // Days since Monday.
  const weekday = (date.getUTCDay() + 6) % 7;
  const [from, until] = per === "day"
    ? [dayMs, dayMs + DAY_MS]
    : per === "week"
    ? [dayMs - weekday * DAY_MS, dayMs + (7 - weekday) * DAY_MS]
    : [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
  return { fromMs: instantOf(clock, from), untilMs: instantOf(clock, until) };
}

/** What a clock of the zone shows at a moment, as if it were one of UTC, ms. */
type WallClock = (atMs: number) => number;

function zoneClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? "0");
    return Date.UTC(
      of("year"),
      of("month") - 1,
      of("day"),
      of("hour"),
      of("minute"),
      of("second"),
    );
  };
}

/**
 * When a zone's clock first shows a midnight, or what comes after it where clocks skip it.
 * @param wall as the clock counts
 */
function instantOf(clock: WallClock, wall: number): number {
  // No zone is more than a day off, so this is before it; clocks only ever jump by a few hours.
  let low = wall - DAY_MS;
  let high = wall + DAY_MS;
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (clock(middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
}
