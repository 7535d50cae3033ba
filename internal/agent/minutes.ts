/** Times of the clock as people read them. */

/** A time to the minute, in UTC and marked so: `2026-12-01 05:22Z`. @param ms since 1970 */
export function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
