/**
 * What this machine trusts of each chain it follows, in `$SION_HOME/light.db`: the newest header that
 * was verified here, and headers that contradict what was trusted.
 */
import { join } from "node:path";
import { openDatabase } from "./database.ts";

/** A chain as far as it was verified here. Bytes are canonical encodings of the protocol. */
export interface TrustedHead {
  /** Number of the newest verified Pulse. */
  readonly number: number;
  readonly header: Uint8Array;
  /** Config of its session. */
  readonly session: Uint8Array;
  /** Number of the last Pulse of the session before. */
  readonly after: number;
}

/** A header that is refused. */
export interface RefusedHeader {
  readonly number: number;
  /** Digest, 64 hex digits. */
  readonly header: string;
  /** Canonical bytes of the proof. */
  readonly proof: Uint8Array;
}

/** The file of a home. */
export interface LightState extends Disposable {
  /** @param chain identity, 64 hex digits. */
  trusted(chain: string): TrustedHead | undefined;
  /** Durable when it returns. A lower number than the one kept changes nothing. */
  trust(chain: string, head: TrustedHead): void;
  /** Keeps a header proof that contradicts what is trusted of its Pulse, for ever. */
  keepFork(chain: string, number: number, proof: Uint8Array): void;
  /** How many contradictions are kept. */
  forks(chain: string): number;
  /** Refuses a header for ever, with the proof that its data root stands for no data. */
  refuse(chain: string, refused: RefusedHeader): void;
  /** Refused headers of a chain, or of all: numbers by digest. */
  refused(chain?: string): ReadonlyMap<string, number>;
}

const REFUSED_TABLE = `
CREATE TABLE refused (
  chain TEXT NOT NULL, header TEXT NOT NULL, number INTEGER NOT NULL, proof BLOB NOT NULL,
  PRIMARY KEY (chain, header)
) WITHOUT ROWID;
`;

const SCHEMA = `
CREATE TABLE trusted (
  chain TEXT PRIMARY KEY, number INTEGER NOT NULL, header BLOB NOT NULL, session BLOB NOT NULL,
  after INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE forks (chain TEXT NOT NULL, number INTEGER NOT NULL, proof BLOB NOT NULL);
${REFUSED_TABLE}`;

/** Opens the file of a home. @throws {SionError} `newer-data` */
export function openLightState(home: string, shown?: string): LightState {
  const database = openDatabase(join(home, "light.db"), {
    schema: SCHEMA,
    version: 2,
    upgrade: [REFUSED_TABLE],
    ...(shown === undefined ? {} : { shown }),
  });
  return {
    trusted(chain) {
      const row = database.prepare("SELECT * FROM trusted WHERE chain = ?").get(chain);
      return row && {
        number: row["number"] as number,
        header: row["header"] as Uint8Array,
        session: row["session"] as Uint8Array,
        after: row["after"] as number,
      };
    },
    trust(chain, { number, header, session, after }) {
      database.prepare(
        "INSERT INTO trusted VALUES (?, ?, ?, ?, ?) ON CONFLICT (chain) DO UPDATE SET " +
          "number = excluded.number, header = excluded.header, session = excluded.session, " +
          "after = excluded.after WHERE excluded.number > number",
      ).run(chain, number, header, session, after);
    },
    keepFork(chain, number, proof) {
      database.prepare("INSERT INTO forks VALUES (?, ?, ?)").run(chain, number, proof);
    },
    forks: (chain) =>
      database.prepare("SELECT count(*) AS n FROM forks WHERE chain = ?").get(chain)
        ?.["n"] as number,
    refuse(chain, { number, header, proof }) {
      database.prepare("INSERT OR IGNORE INTO refused VALUES (?, ?, ?, ?)")
        .run(chain, header, number, proof);
    },
    refused(chain) {
      const rows = database.prepare(
        "SELECT header, number FROM refused WHERE chain = coalesce(?, chain)",
      ).all(chain ?? null);
      return new Map(rows.map((row) => [row["header"] as string, row["number"] as number]));
    },
    [Symbol.dispose]() {
      if (database.isOpen) database.close();
    },
  };
}
