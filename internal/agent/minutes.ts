/** Times of the clock as people read them. */

/** A time to the minute, in UTC and marked so: `2026-12-01 05:22Z`. @param ms since 1970 */
export function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

/** A time to the minute on the clocks of a time zone, which is named: `2026-12-01 06:22 Europe/Berlin`. */
export function zoneMinuteText(ms: number, zone: string): string {
  if (zone === "UTC") return minuteText(ms);
  const format = new Intl.DateTimeFormat("sv", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return `${format.format(ms)} ${zone}`;
}
