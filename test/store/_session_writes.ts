/** The write points of the agents' sessions. */
import { join } from "node:path";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { SessionLease, Sessions } from "#internal/store/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import type { KeptFile, WriteRow } from "./_kept_file.ts";
import { methodsOf } from "./_kept_file.ts";

/** Sessions' tables before lists and searches knew more than when a session was. */
export const SESSIONS_BEFORE_CHATS =
  "DROP TABLE words; DROP TABLE chats; DROP TABLE chat_sessions; " +
  ["agent", "standing", "task", "title"].map((name) => `ALTER TABLE sessions DROP COLUMN ${name};`)
    .join(" ");

/** The store with the lease that its rows write through. */
interface Held {
  readonly sessions: Sessions;
  lease?: SessionLease;
}

function held(store: Held): SessionLease {
  return store.lease ??= store.sessions.acquire(store.sessions.list(1)[0]?.session as string);
}

const digestOf = (bytes: Uint8Array): string => toHex(sha256(bytes));
/** The picture that stays. */
const KEPT = digestOf(utf8("kept"));

const CHAT = { channel: "cli", key: "lead" };
const note = { kind: "note", v: 1, body: { text: "long ".repeat(2_000) } };
const said = { ...note, words: "What is left of it?", listed: { standing: "done", task: "It." } };
const onHeld: WriteRow<Held>["before"] = (store) => {
  store.lease = store.sessions.create([note]);
};

/** A row a write. */
export const sessions: KeptFile<Held> = {
  name: "agents' sessions",
  source: "store/sessions.ts",
  path: (folder) => join(folder, "agents", "sessions.db"),
  open(folder) {
    let counter = 0;
    let nowMs = 1_000;
    return {
      sessions: openSessions(folder, {
        clock: { nowMs: () => nowMs++ },
        random: (n) => new Uint8Array(n).fill(++counter),
        self: { pid: 1, started: "1" },
        // After a crash, whoever held a session is gone.
        alive: () => false,
      }),
    };
  },
  close: (store) => store.sessions.close(),
  methods: (store) => [
    ...methodsOf(store.sessions),
    ...["read", "append", "picture", "renew", "release"].map((name) => `lease.${name}`),
    ...Object.keys(store.sessions.chats).map((name) => `chats.${name}`),
  ],
  reads: {
    read: ({ sessions: all }) => all.list().map(({ session }) => all.read(session)),
    resolve: ({ sessions: all }) => all.list().map(({ session }) => all.resolve(session)),
    list: ({ sessions: all }) => all.list(),
    summary: ({ sessions: all }) => all.list().map(({ session }) => all.summary(session)),
    search: ({ sessions: all }) => all.search("long", 10),
    "chats.read": ({ sessions: all }) => all.chats.read(CHAT),
    "chats.sessions": ({ sessions: all }) => all.chats.sessions(CHAT, 10),
    "lease.read": (store) => store.lease?.read(),
    "lease.picture": (store) => store.lease?.picture(KEPT),
  },
  writes: {
    create: {
      write(store) {
        store.lease = store.sessions.create([note, note]);
      },
    },
    acquire: { before: onHeld, write: (store) => store.sessions.acquire(held(store).session) },
    "lease.append": { before: onHeld, write: (store) => held(store).append([note, note]) },
    "lease.append: without waiting for the disk": {
      before: onHeld,
      write: (store) => held(store).append([note, note], true),
    },
    "lease.append: pictures, dropping one": {
      before(store) {
        onHeld(store);
        const add = [utf8("old"), utf8("kept")];
        held(store).append([{ ...note, pictures: { add, keep: add.map(digestOf) } }]);
      },
      write(store) {
        const add = [utf8("new")];
        held(store).append([{ ...note, pictures: { add, keep: [KEPT, ...add.map(digestOf)] } }]);
      },
    },
    "lease.append: words and facts": {
      before: onHeld,
      write: (store) => held(store).append([said]),
    },
    "chats.enter": {
      before: onHeld,
      write: (store) => store.sessions.chats.enter(CHAT, held(store).session),
    },
    "chats.leave": {
      before: (store) => store.sessions.chats.enter(CHAT, "a session"),
      write: ({ sessions: all }) => all.chats.leave(CHAT),
    },
    "chats.choose": { write: ({ sessions: all }) => all.chats.choose(CHAT, { tools: ["a"] }) },
    "lease.renew": { before: onHeld, write: (store) => held(store).renew() },
    "lease.release": { before: onHeld, write: (store) => held(store).release() },
    close: { before: onHeld, write: (store) => held(store).append([note]) },
  },
  older: { 1: SESSIONS_BEFORE_CHATS, 2: "DROP TABLE pictures" },
};
