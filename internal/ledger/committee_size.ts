/** How many validators a committee has: in a file that imports nothing, for who starts before a ledger is loaded. */

/** The most validators a committee has. A set of them fits a 16-bit mask. */
export const MAX_COMMITTEE = 16;
