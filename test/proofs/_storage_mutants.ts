/** Broken rules of stack B about storage deals. */
import type { Mutant } from "./_mutants.ts";

const [POST, ACCEPT, PROVE, CLOSE] = ["post", "accept", "prove", "close"].map((name) =>
  `kinds/storage_${name}.ts`
) as [string, string, string, string];
const LOCATOR = String.raw`/^(?:https:\/\/|file:\/\/\/)[\x21-\x7e]+$/`;
const LENGTH = "length % 8n !== 0n || length < MIN_LENGTH || length > MAX_LENGTH";
const OUTCOME = 'member.kind.fixes(member.body) === "outcome"';
const SIZE = "size < 1n || size > MAX_SIZE";
const ROUNDS = "rounds < 1n || rounds > MAX_ROUNDS";
const CHALLENGES = "challenges < 1 || challenges > MAX_CHALLENGES";
const ROUND = "round < 1n || round > MAX_ROUND";
const HASH = "[idBytes(beacon), idBytes(id), encode(u64, round), encode(u8, i)]";
const INDEX = "{ index: index - left, size: size - left, path: below }";
const SORTED = "[...drawn].sort((one, other) => one < other ? -1 : 1)";
const SHARE = "(collateral * missed + rounds - 1n) / rounds";
const MEANT = "deal.provider !== null && deal.provider !== provider";
const FORM = "a storage deal's form: ";

const OF_FORMATS: readonly Mutant[] = [
  [`${FORM}no bytes`, POST, SIZE, SIZE.replace("size < 1n", "false")],
  [`${FORM}many bytes`, POST, SIZE, SIZE.replace("> MAX", ">= MAX")],
  [`${FORM}too many bytes`, POST, SIZE, "size < 1n"],
  [`${FORM}no price`, POST, "price === 0n", "false"],
  [`${FORM}no rounds`, POST, ROUNDS, ROUNDS.replace("rounds < 1n", "false")],
  [`${FORM}many rounds`, POST, ROUNDS, ROUNDS.replace("> MAX", ">= MAX")],
  [`${FORM}too many rounds`, POST, ROUNDS, "rounds < 1n"],
  [`${FORM}rounds between beacons`, POST, LENGTH, LENGTH.replace("% 8n", "% 4n")],
  [`${FORM}rounds of no time`, POST, LENGTH, LENGTH.replace("length < MIN_LENGTH", "false")],
  [`${FORM}short rounds`, POST, LENGTH, LENGTH.replace("< MIN", "<= MIN")],
  [`${FORM}long rounds`, POST, LENGTH, LENGTH.replace("> MAX", ">= MAX")],
  [`${FORM}too long rounds`, POST, LENGTH, LENGTH.replace("length > MAX_LENGTH", "false")],
  [`${FORM}no challenges`, POST, CHALLENGES, CHALLENGES.replace("challenges < 1", "false")],
  [`${FORM}many challenges`, POST, CHALLENGES, CHALLENGES.replace("> MAX", ">= MAX")],
  [`${FORM}too many challenges`, POST, CHALLENGES, "challenges < 1"],
  [`${FORM}too much money`, POST, "price * rounds > MAX_U64", "false"],
  [`${FORM}locators of nothing`, POST, LOCATOR, LOCATOR.replace("]+", "]*")],
  [`${FORM}locators with spaces`, POST, LOCATOR, LOCATOR.replace("x21", "x20")],
  [`${FORM}locators without "!"`, POST, LOCATOR, LOCATOR.replace("x21", "x22")],
  [`${FORM}locators without "~"`, POST, LOCATOR, LOCATOR.replace("x7e", "x7d")],
  [`${FORM}locators with controls`, POST, LOCATOR, LOCATOR.replace("x7e", "x7f")],
  [`${FORM}files`, POST, LOCATOR, LOCATOR.replace(String.raw`file:\/\/\/`, String.raw`file:\/\/`)],
  [`${FORM}secure locators`, POST, LOCATOR, LOCATOR.replace("https", "https?")],
  [`${FORM}locators in text`, POST, LOCATOR, LOCATOR.replace("^", "")],
  [`${FORM}what is told nobody`, POST, "locator === null", "false"],
  [`${FORM}what a provider is told`, POST, "provider !== null", "false"],
  [`${FORM}what nobody puts up`, POST, "collateral === 0n", "false"],
  [`${FORM}proofs of nothing`, PROVE, "leaves.length === 0", "false"],
  [`${FORM}leaves without bytes`, PROVE, "leaves.some(({ data }) => data.length === 0)", "false"],
  [`${FORM}round 0`, PROVE, ROUND, "round > MAX_ROUND"],
  [`${FORM}high rounds`, PROVE, ROUND, ROUND.replace("> MAX", ">= MAX")],
  [`${FORM}too high rounds`, PROVE, ROUND, "round < 1n"],
];

const OF_BEACONS: readonly Mutant[] = [
  ["Pulses that keep a beacon", "beacons.ts", "pulse % STEP !== 0n", "pulse % 4n !== 0n"],
  ["Pulses that keep none", "beacons.ts", "pulse % STEP !== 0n", "pulse % 16n !== 0n"],
  ["slots of beacons", "beacons.ts", "pulse / STEP % SLOTS", "pulse / STEP % 65_536n"],
  ["the domain of slots", "beacons.ts", '"sion/beacon-slot/v1"', '"sion/beacon/v1"'],
  [
    "whose beacon is kept",
    "beacons.ts",
    '{ kind: "beacon", body: { pulse, beacon } }',
    '{ kind: "beacon", body: { pulse: 0n, beacon } }',
  ],
  ["which beacon is kept", "beacons.ts", "kept?.pulse === pulse", "kept !== null"],
  ["that beacons are kept", "execute.ts", "keepBeacon(state, input)", "0"],
];

const OF_FILES: readonly Mutant[] = [
  [
    "leaves of whole files",
    "storage.ts",
    "(size + LEAF_BYTES - 1n) / LEAF_BYTES",
    "size / LEAF_BYTES + 1n",
  ],
  [
    "leaves that are short",
    "storage.ts",
    "(size + LEAF_BYTES - 1n) / LEAF_BYTES",
    "size / LEAF_BYTES",
  ],
  ["the number of challenges", "storage.ts", "i < deal.challenges", "i <= deal.challenges"],
  ["the domain of challenges", "storage.ts", '"sion/challenge/v1"', '"sion/challenge/v2"'],
  ["challenges by beacon", "storage.ts", HASH, HASH.replace("idBytes(beacon), ", "")],
  ["challenges by deal", "storage.ts", HASH, HASH.replace("idBytes(id), ", "")],
  ["challenges by round", "storage.ts", HASH, HASH.replace("round", "1n")],
  ["challenges by number", "storage.ts", HASH, HASH.replace(", encode(u8, i)", ", encode(u8, 0)")],
  ["digits of challenges", "storage.ts", "hash.subarray(0, 16)", "hash.subarray(0, 8)"],
  ["all digits of challenges", "storage.ts", "hash.subarray(0, 16)", "hash"],
  ["the order of digits", "storage.ts", "hash.subarray(0, 16)", "hash.slice(0, 16).reverse()"],
  ["the order of leaves", "storage.ts", SORTED, "[...drawn]"],
  ["the order of indices", "storage.ts", SORTED, "[...drawn].sort()"],
  ["leaves that are not last", "storage.ts", "index + 1n < size", "index < size"],
  ["leaves that are last", "storage.ts", "index + 1n < size", "index + 2n < size"],
  ["the length of leaves", "storage.ts", "BigInt(data.length) !== length", "false"],
  ["long leaves", "storage.ts", "BigInt(data.length) !== length", "BigInt(data.length) < length"],
  ["the root", "storage.ts", "equalBytes(root, idBytes(deal.root))", "true"],
  ["paths of the wrong length", "storage.ts", "root !== null", "true"],
  [
    "paths that go on",
    "log.ts",
    "path.length === 0 ? sha256(LEAF, data) : null",
    "sha256(LEAF, data)",
  ],
  [
    "leaves on the left",
    "log.ts",
    "{ index, size: left, path: below }",
    "{ index, size: left + 1n, path: below }",
  ],
  ["leaves on the right", "log.ts", INDEX, INDEX.replace("size: size - left", "size: left")],
  ["leaves of a proof", "storage.ts", "leaves.length === challenged.length", "true"],
  [
    "the most leaves of a proof",
    "storage.ts",
    "leaves.length === challenged.length",
    "leaves.length <= challenged.length",
  ],
];

const OF_ROUNDS: readonly Mutant[] = [
  [
    "the first round's begin",
    "storage.ts",
    "accepted / STEP + 1n",
    "(accepted + STEP - 1n) / STEP",
  ],
  [
    "rounds' begins",
    "storage.ts",
    "start + (round - 1n) * deal.length",
    "start + round * deal.length",
  ],
  ["the last round", "storage.ts", "round <= deal.rounds", "true"],
  ["rounds before the last", "storage.ts", "round <= deal.rounds", "round < deal.rounds"],
  [
    "rounds that have begun",
    "storage.ts",
    "pulse >= beginOf(deal, active, round)",
    "true",
  ],
  [
    "rounds in their first Pulse",
    "storage.ts",
    "pulse >= beginOf(deal, active, round)",
    "pulse > beginOf(deal, active, round)",
  ],
  [
    "rounds after their last Pulse",
    "storage.ts",
    "pulse < beginOf(deal, active, round + 1n)",
    "pulse <= beginOf(deal, active, round + 1n)",
  ],
  [
    "rounds in their last Pulse",
    "storage.ts",
    "pulse < beginOf(deal, active, round + 1n)",
    "pulse + 1n < beginOf(deal, active, round + 1n)",
  ],
  [
    "rounds that are finished",
    "storage.ts",
    "(pulse - start) / deal.length",
    "(pulse - start - 1n) / deal.length",
  ],
  ["rounds after the end", "storage.ts", "gone < deal.rounds ? gone : deal.rounds", "gone"],
  [
    "what was missed in a row",
    "storage.ts",
    "finishedOf(deal, active, pulse) - active.last >= MOST_IN_A_ROW",
    "finishedOf(deal, active, pulse) - active.last > MOST_IN_A_ROW",
  ],
  [
    "what was missed at all",
    "storage.ts",
    "finishedOf(deal, active, pulse) - active.last >= MOST_IN_A_ROW",
    "finishedOf(deal, active, pulse) - active.proven >= MOST_IN_A_ROW",
  ],
  [
    "two missed in a row",
    "storage.ts",
    "finishedOf(deal, active, pulse) - active.last >= MOST_IN_A_ROW",
    "finishedOf(deal, active, pulse) - active.last >= 2n",
  ],
];

const OF_KINDS: readonly Mutant[] = [
  ["what posting a deal costs", POST, "100n", "0n"],
  ["when deals are posted", "execute.ts", OUTCOME, `${OUTCOME} || member.kind.tag === 72`],
  ["deals that nobody can accept", POST, "acceptBy < posted", "false"],
  ["deals to be accepted at once", POST, "acceptBy < posted", "acceptBy <= posted"],
  ["the escrow of a deal", POST, "context.take(USD, price * rounds)", "context.take(USD, price)"],
  [
    "who posts a deal",
    POST,
    "{ ...body, client, posted, phase }",
    "{ ...body, client: body.root, posted, phase }",
  ],
  [
    "when a deal was posted",
    POST,
    "{ ...body, client, posted, phase }",
    "{ ...body, client, posted: 0n, phase }",
  ],
  ["leaves that are told", POST, "leavesOf(size)", "size"],
  ["when deals are accepted", "execute.ts", OUTCOME, `${OUTCOME} || member.kind.tag === 73`],
  ["deals accepted already", ACCEPT, 'deal.phase.kind === "active"', "false"],
  ["deals closed before", ACCEPT, 'deal.phase.kind === "closed"', "false"],
  ["for whom a deal is", ACCEPT, MEANT, "false"],
  ["for whom any deal is", ACCEPT, MEANT, "deal.provider !== provider"],
  ["deals accepted late", ACCEPT, "deal.acceptBy < pulse", "false"],
  ["deals accepted at last", ACCEPT, "deal.acceptBy < pulse", "deal.acceptBy <= pulse"],
  ["little collateral", ACCEPT, "collateral !== deal.collateral", "collateral > deal.collateral"],
  ["much collateral", ACCEPT, "collateral !== deal.collateral", "collateral < deal.collateral"],
  ["collateral that is taken", ACCEPT, "context.take(USD, collateral)", "0"],
  ["who is the provider", ACCEPT, "{ ...deal, provider, phase }", "{ ...deal, phase }"],
  ["when a deal starts", ACCEPT, "startAfter(pulse)", "startAfter(deal.posted)"],
  ["when rounds are proven", "execute.ts", OUTCOME, `${OUTCOME} || member.kind.tag === 74`],
  [
    "deals not accepted",
    PROVE,
    'phase.kind === "open"',
    'phase.kind === "open" && deal.client === provider',
  ],
  [
    "deals that are closed",
    PROVE,
    'phase.kind === "closed"',
    'phase.kind === "closed" && !phase.body.proven',
  ],
  ["who proves", PROVE, "deal.provider !== provider", "false"],
  ["rounds not under way", PROVE, "!isUnderWay(deal, active, round, pulse)", "false"],
  ["rounds proven already", PROVE, "active.last === round", "false"],
  ["challenges not drawn", PROVE, "beacon === null", "beacon === null && round > 1n"],
  ["what is shown", PROVE, "!showsChallenged(beacon, { id, deal, round }, leaves)", "false"],
  ["rounds that are proven", PROVE, "active.proven + 1n", "round"],
  ["the last proof", PROVE, "{ ...active, proven, last: round }", "{ ...active, proven }"],
  ["when deals are closed", "execute.ts", OUTCOME, `${OUTCOME} || member.kind.tag === 75`],
  ["who closes an open deal", CLOSE, "deal.client !== context.account", "false"],
  ["who closes a deal", CLOSE, "!isClient && account !== deal.provider", "false"],
  ["when a deal is over", CLOSE, "pulse >= end", "pulse > end"],
  ["the last Pulse of a deal", CLOSE, "end - 1n", "end"],
  ["what a provider is told", CLOSE, "invalid(runs)", "0"],
  ["deals that are abandoned", CLOSE, "!isAbandoned(deal, active, context.pulse)", "true"],
  ["deals that are not", CLOSE, "!isAbandoned(deal, active, context.pulse)", "false"],
  ["rounds that were missed", CLOSE, "finishedOf(deal, active, pulse) - proven", "rounds - proven"],
  ["what rounds are paid", CLOSE, "price * proven", "price * (rounds - missed)"],
  ["what is refunded", CLOSE, "price * rounds - paid", "price * rounds"],
  ["shares that are forfeited", CLOSE, SHARE, "collateral * missed / rounds"],
  [
    "all that is forfeited",
    CLOSE,
    "isAbandoned(deal, active, pulse) ? collateral : share",
    "share",
  ],
  ["what is returned", CLOSE, "collateral - forfeited", "collateral"],
  [
    "to whom it is paid",
    CLOSE,
    "context.credit(deal.provider, USD, earned)",
    "context.credit(context.account, USD, earned)",
  ],
  ["what is paid together", CLOSE, "paid + returned", "paid"],
  ["credits of nothing earned", CLOSE, "earned > 0n", "true"],
  ["credits of nothing refunded", CLOSE, "refund > 0n", "true"],
  [
    "to whom it is refunded",
    CLOSE,
    "context.credit(deal.client, USD, refund)",
    "context.credit(context.account, USD, refund)",
  ],
  ["where it is forfeited to", CLOSE, "asset.treasury + forfeited", "asset.treasury"],
  [
    "when it was closed",
    CLOSE,
    "{ at: context.pulse, ...parted }",
    "{ at: deal.posted, ...parted }",
  ],
];

/** All of them. */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  ...OF_FORMATS,
  ...OF_BEACONS,
  ...OF_FILES,
  ...OF_ROUNDS,
  ...OF_KINDS,
];
