/** What the end of a session reads and writes, where no transaction acts. */
import type { LedgerObject } from "../object_kind.ts";

/** Objects as the Pulse left them so far. */
export interface SessionObjects {
  read(id: string): LedgerObject | undefined;
  write(id: string, object: LedgerObject): void;
}
