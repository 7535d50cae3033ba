/** The tables of `agents/sessions.db`, and how older files come to have them. */

/** What a fresh file holds. */
export const SESSION_SCHEMA = `
CREATE TABLE events (
  session TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL, v INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE TABLE sessions (
  session TEXT PRIMARY KEY, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
  events INTEGER NOT NULL, agent TEXT NOT NULL DEFAULT '', standing TEXT NOT NULL DEFAULT 'open',
  task TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX newest ON sessions (last_ms);
CREATE TABLE blobs (digest BLOB PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE leases (
  session TEXT PRIMARY KEY, token TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE chats (
  channel TEXT NOT NULL, key TEXT NOT NULL, session TEXT, choices TEXT,
  PRIMARY KEY (channel, key)
) WITHOUT ROWID;
CREATE TABLE chat_sessions (
  channel TEXT NOT NULL, key TEXT NOT NULL, session TEXT NOT NULL,
  PRIMARY KEY (channel, key, session)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  text, session UNINDEXED, seq UNINDEXED, tokenize = 'trigram remove_diacritics 1'
);
CREATE TABLE pictures (
  session TEXT NOT NULL, digest TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, digest)
);
`;

/** The text of an event's body as the first version kept it: in place, or apart by its digest. */
const TEXT_1 = `CASE json_type(body, '$.text') WHEN 'text' THEN json_extract(body, '$.text') ELSE
  (SELECT CAST(bytes AS TEXT) FROM blobs
    WHERE digest = unhex(json_extract(body, '$.text."$apart"'))) END`;

/** From version 1 to 2: what lists show without reading logs, words to search, chats. */
const TO_2 = `
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN standing TEXT NOT NULL DEFAULT 'open';
ALTER TABLE sessions ADD COLUMN task TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT '';
CREATE TABLE chats (
  channel TEXT NOT NULL, key TEXT NOT NULL, session TEXT, choices TEXT,
  PRIMARY KEY (channel, key)
) WITHOUT ROWID;
CREATE TABLE chat_sessions (
  channel TEXT NOT NULL, key TEXT NOT NULL, session TEXT NOT NULL,
  PRIMARY KEY (channel, key, session)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  text, session UNINDEXED, seq UNINDEXED, tokenize = 'trigram remove_diacritics 1'
);
INSERT INTO words (text, session, seq)
  SELECT said, session, seq FROM (
    SELECT ${TEXT_1} AS said, session, seq, at_ms FROM events
      WHERE kind IN ('person-said', 'model-said')
  ) WHERE said <> '' ORDER BY at_ms, session, seq;
UPDATE sessions SET
  agent = coalesce((SELECT json_extract(body, '$.agent') FROM events
    WHERE events.session = sessions.session AND kind = 'session-opened' LIMIT 1), ''),
  task = coalesce((SELECT substr(${TEXT_1}, 1, 200) FROM events
    WHERE events.session = sessions.session AND kind = 'person-said' ORDER BY seq LIMIT 1), ''),
  standing = coalesce((SELECT CASE kind
      WHEN 'run-ended' THEN json_extract(body, '$.how')
      WHEN 'call-judged' THEN 'waiting' ELSE 'open' END
    FROM events WHERE events.session = sessions.session AND (
      kind IN ('run-ended', 'person-said', 'person-decided') OR
      (kind = 'call-judged' AND json_extract(body, '$.verdict') = 'ask')
    ) ORDER BY seq DESC LIMIT 1), 'open');
`;

/** From version 2 to 3: pictures. */
const TO_3 = `
CREATE TABLE pictures (
  session TEXT NOT NULL, digest TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, digest)
);
`;

/** The step from each version to the next. */
export const SESSION_UPGRADES: readonly string[] = [TO_2, TO_3];

/** The version of `SESSION_SCHEMA`. */
export const SESSION_VERSION = SESSION_UPGRADES.length + 1;
