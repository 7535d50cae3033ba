/**
 * The table of limits in docs/protocol/connections.md is the code's: each row has its constants, and
 * a test of what becomes of one more.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "../programs.ts";

/** Of a row: the constants its numbers are, in order, as `file NAME`; the file and title of its test. */
interface Limit {
  readonly constants: readonly string[];
  readonly test: readonly [file: string, title: string];
}

const PEERS = "internal/node/peers.ts";
const INTAKE = "internal/node/intake.ts";
const MESSAGE = "internal/consensus/message.ts";
const BLOCK = "internal/consensus/block.ts";
const SHELF = "internal/consensus/snapshot/shelf.ts";
const WAITING = "internal/consensus/intake.ts";

const LIMITS: Readonly<Record<string, Limit>> = {
  "bytes of a frame from a validator": {
    constants: [`${MESSAGE} MAX_MESSAGE_BYTES`],
    test: ["node/peer_limits.test.ts", "announces a frame over the limit, and holds it against it"],
  },
  "bytes of a frame from a follower": {
    constants: [`${PEERS} MAX_FOLLOWER_FRAME_BYTES`],
    test: ["node/peer_limits.test.ts", "drops a follower that announces a frame over its limit"],
  },
  "bytes of a frame before the greeting is over": {
    constants: ["internal/node/greeting.ts HELLO_BYTES"],
    test: ["node/peers.test.ts", "takes no frame longer than a greeting from a stranger"],
  },
  "time to greet": {
    constants: [`${PEERS} GREETING_MS`],
    test: ["node/peers.test.ts", "drops who stays silent"],
  },
  "connections that have not greeted": {
    constants: [`${PEERS} MAX_STRANGERS`],
    test: ["runtime/frames.test.ts", "drops the oldest stranger for one too many"],
  },
  "followers": {
    constants: [`${PEERS} MAX_FOLLOWERS`],
    test: ["node/peers.test.ts", "takes so many followers and no more"],
  },
  "followers of one address": {
    constants: [`${PEERS} MAX_FOLLOWERS_OF_HOST`],
    test: ["node/peers.test.ts", "takes eight followers of one address at most"],
  },
  "keepalive intervals of 5,000 ms without a frame": {
    constants: [`${PEERS} MAX_MISSED_KEEPALIVES`],
    test: ["node/peers.test.ts", "drops who says nothing any more"],
  },
  "bytes that wait to be sent to a validator": {
    constants: [`${PEERS} MAX_WAITING_BYTES`],
    test: ["node/peer_limits.test.ts", "keeps nothing more for a peer that takes nothing"],
  },
  "bytes that wait to be sent to a follower": {
    constants: [`${PEERS} MAX_FOLLOWER_WAITING_BYTES`],
    test: ["node/peer_limits.test.ts", "keeps nothing more for a peer that takes nothing"],
  },
  "bytes of a validator's frames that wait to be looked at": {
    constants: [`${INTAKE} MAX_PEER_BYTES_WAITING`],
    test: ["node/intake.test.ts", "frames of a peer beyond those that may wait are dropped"],
  },
  "bytes of all followers' frames that wait to be looked at": {
    constants: [`${INTAKE} MAX_FOLLOWER_BYTES_WAITING`],
    test: ["node/intake.test.ts", "frames of a peer beyond those that may wait are dropped"],
  },
  "bytes of clients' units that wait to be verified": {
    constants: [`${INTAKE} MAX_UNIT_BYTES_WAITING`],
    test: ["node/intake.test.ts", "clients are told to come again when more waits than is kept"],
  },
  "bytes of units shared by validators among them": {
    constants: [`${INTAKE} MAX_SHARED_BYTES_WAITING`],
    test: ["node/intake.test.ts", "what peers share beyond the room for waiting units is dropped"],
  },
  "bytes of all of them for a unit that a block waits for": {
    constants: [`${INTAKE} MAX_NEEDED_BYTES_WAITING`],
    test: ["node/intake.test.ts", "goes before blocks, and has room where others have none"],
  },
  "ids in a `want`, rounds in it, units in it": {
    constants: [`${MESSAGE} MAX_WANTED`],
    test: ["consensus/block.test.ts", "refuses a want beyond its bounds"],
  },
  "units in a message of them": {
    constants: [`${MESSAGE} MAX_SHARED_UNITS`],
    test: ["consensus/block.test.ts", "refuses a message that shares more than 64 units"],
  },
  "bytes of a validator's units that no held block names": {
    constants: ["internal/consensus/unit_pool.ts MAX_LOOSE_BYTES"],
    test: ["consensus/unit_pool.test.ts", "keeps 8 MiB of a sender's units that no block names"],
  },
  "units of others' clients that a validator has yet to carry": {
    constants: ["internal/consensus/producer.ts MAX_OFFERED"],
    test: ["consensus/waiting.test.ts", "is offered so many units of others' clients"],
  },
  "blocks in an answer": {
    constants: [`${MESSAGE} MAX_ANSWER_BLOCKS`],
    test: ["consensus/block.test.ts", "splits blocks into messages of at most 2 MiB"],
  },
  "bytes of a block's body": {
    constants: [`${BLOCK} MAX_BODY_BYTES`],
    test: [
      "consensus/block.test.ts",
      "refuses a body over 1 MiB and more than sixteen forced units",
    ],
  },
  "units in a block, forced ones among them": {
    constants: [`${BLOCK} MAX_BLOCK_UNITS`, `${BLOCK} MAX_BLOCK_FORCED`],
    test: [
      "consensus/block.test.ts",
      "refuses a body over 1 MiB and more than sixteen forced units",
    ],
  },
  "bytes of the units that a block names": {
    constants: [`${BLOCK} MAX_BLOCK_UNIT_BYTES`],
    test: ["consensus/named_units.test.ts", "or its units are over 1 MiB"],
  },
  "blocks whose parents or units are missing": {
    constants: [`${WAITING} MAX_WAITING`, `${WAITING} MAX_WAITING_BYTES`],
    test: ["consensus/waiting.test.ts", "lets go of the farthest blocks of the author"],
  },
  "blocks of the next session": {
    constants: [
      "internal/consensus/early_blocks.ts MAX_EARLY",
      "internal/consensus/early_blocks.ts MAX_EARLY_BYTES",
    ],
    test: ["consensus/waiting.test.ts", "keeps so many blocks of the next session"],
  },
  "blocks of one author and round": {
    constants: [`${WAITING} MAX_SAME_PLACE`],
    test: ["consensus/waiting.test.ts", "keeps two blocks of one author and round"],
  },
  "units that a peer has handed in and no answer to": {
    constants: ["internal/node/relay.ts MAX_OPEN_OF_PEER"],
    test: ["node/relay.test.ts", "and more than may be open"],
  },
  "snapshots shown": {
    constants: [`${SHELF} MAX_SHOWN`],
    test: ["consensus/snapshot_shelf.test.ts", "shows three snapshots at most"],
  },
  "parts of snapshots at once to a peer, to all": {
    constants: [`${SHELF} PEER_BURST`, `${SHELF} ALL_BURST`],
    test: ["consensus/snapshot_shelf.test.ts", "gives a peer eight parts at once"],
  },
  "peers whose parts are counted": {
    constants: [`${SHELF} MAX_COUNTED`],
    test: ["consensus/snapshot_shelf.test.ts", "forgets peers that took no part lately"],
  },
  "proofs of bad encoding of one Pulse, kept for ever": {
    constants: [],
    test: ["node/wrong_data.test.ts", "a node takes a proof that holds, keeps and serves it"],
  },
  "peers' records": {
    constants: ["internal/node/peer_score.ts MAX_REMEMBERED"],
    test: ["node/peer_score.test.ts", "remembers so many, those that are refused longest"],
  },
  "reasons for dropping somebody that the log warns of": {
    constants: [`${PEERS} MAX_REASONS`],
    test: ["node/peers.test.ts", "drops who does not greet, and tells one reason once"],
  },
  "clients' connections": {
    constants: ["internal/node/http_server.ts MAX_CONNECTIONS"],
    test: ["node/http_server.test.ts", "closes a connection beyond those it takes at once"],
  },
  "time for a client's request to arrive": {
    constants: ["internal/node/http_server.ts REQUEST_MS"],
    test: ["node/http_server.test.ts", "ends a request that does not arrive"],
  },
  "bytes of a client's request": {
    constants: ["internal/rpc/limits.ts MAX_BODY_BYTES"],
    test: ["node/http_server.test.ts", "refuses a body over the limit and goes on"],
  },
  "bytes of a signed unit, members of one": {
    constants: [
      "internal/core/limits.ts MAX_SIGNED_UNIT_BYTES",
      "internal/ledger/unit.ts MAX_MEMBERS",
    ],
    test: ["ledger/unit.test.ts", "refuses more than 512 KiB"],
  },
  "bytes of a node's answer that a client takes": {
    constants: ["internal/runtime/http_client.ts MAX_RESPONSE_BYTES"],
    test: ["runtime/http_client.test.ts", "takes no answer over its bound"],
  },
};

const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

/** The file of a folder that declares an exported constant. */
function declaring(folder: string, name: string): string {
  const file = readdirSync(join(REPOSITORY, folder)).find((file) =>
    file.endsWith(".ts") && read(join(folder, file)).includes(`export const ${name}`)
  );
  if (file === undefined) throw new Error(`${folder} has no ${name}`);
  return join(folder, file);
}

/** The value of a constant of a source file: sums, products and shifts of numbers and such constants. */
function valueOf(file: string, name: string): number {
  const source = read(file);
  const text = new RegExp(`^(?:export )?const ${name}(?:: number)? = ([^;]+);`, "m")
    .exec(source)?.[1];
  if (text === undefined) {
    const [, from] = new RegExp(`\\b${name}\\b[^}]*\\} from "([^"]+)"`).exec(source) ?? [];
    if (from === undefined) throw new Error(`${file} has no ${name}`);
    // A unit's door has each of its files: the one that declares the name is found by it.
    if (from.startsWith("#")) return valueOf(declaring(dirname(from.slice(1)), name), name);
    return valueOf(join(dirname(file), from), name);
  }
  const numbers = text.replaceAll(/[A-Z][A-Z_]+/g, (other) => `${valueOf(file, other)}`)
    .replaceAll(/(\d)_(?=\d)/g, "$1");
  const [, first, rest = ""] = /^(\d+)((?: (?:\*|\+|<<) \d+)*)$/.exec(numbers) ?? [];
  if (first === undefined) throw new Error(`${file}: ${name} = ${text} is no number`);
  const apply: Record<string, (a: number, b: number) => number> = {
    "*": (a, b) => a * b,
    "+": (a, b) => a + b,
    "<<": (a, b) => a * 2 ** b,
  };
  return [...rest.matchAll(/(\*|\+|<<) (\d+)/g)].reduce(
    (sum, [, sign, number]) => apply[sign as string]?.(sum, Number(number)) ?? NaN,
    Number(first),
  );
}

/** The rows under the heading: what is limited, and how. */
function rowsOf(page: string): [what: string, limit: string][] {
  const table = read(page).split("\n## Limits\n")[1] ?? "";
  return [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].slice(1)
    .map(([, what, limit]) => [what as string, limit as string]);
}

describe("the limits of connections", () => {
  const rows = rowsOf("docs/protocol/connections.md");

  test("the page and this table have the same rows", () => {
    expect(rows.map(([what]) => what)).toEqual(Object.keys(LIMITS));
  });

  test.each(rows)("%s: %s is what the code has, and tested", (what, limit) => {
    const { constants, test: [file, title] } = LIMITS[what] as Limit;
    const numbers = [...limit.matchAll(/\d[\d,]*/g)].map(([text]) =>
      Number(text.replaceAll(",", ""))
    );
    expect(numbers).toEqual(
      constants.map((constant) => valueOf(...constant.split(" ") as [string, string])),
    );
    const titles = [
      ...read(`test/${file}`).matchAll(/\b(?:test|it)(?:\.each\([^)]*\))?\(\s*["`]([^"`]+)/g),
    ]
      .map(([, found]) => found as string);
    expect(titles.some((found) => found.includes(title)), `${file}: ${title}`).toBe(true);
  });
});
