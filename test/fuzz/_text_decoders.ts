/** Decoders of text, streams and files: JSON of the contract, HTTP, frames, greetings, MCP, keys. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  concatBytes,
  OUTSIDE_DEPTH,
  parseJson,
  stringifyJson,
  toHex,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { Wire } from "#internal/rpc/mod.ts";
import { BYTES_TYPE, decodeQuery, decodeRequest, errorBody, methods } from "#internal/rpc/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";
import { frameSplitter } from "#internal/runtime/mod.ts";
import { parseSeed } from "#internal/store/mod.ts";
import { readGenesis } from "../../internal/node/genesis_file.ts";
import { greet } from "../../internal/node/greeting.ts";
import { readKey } from "../../internal/node/node_key.ts";
import type { PeerProofs } from "../../internal/node/peer_proofs.ts";
import type { HttpParser } from "../../internal/runtime/http_parser.ts";
import { createHttpParser } from "../../internal/runtime/http_parser.ts";
import { linesFor, MODERN, request } from "../mcp/_peer.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

/** A value that a shape takes, made from what the reference says of it. */
function valueFor(of: Wire<unknown>): unknown {
  const { text, members } = of;
  if (text.startsWith("a list of at most")) {
    const item = /each (.*)$/s.exec(text)?.[1] ?? "";
    return [valueFor({ text: item, ...(members ? { members } : {}), parse: (value) => value })];
  }
  if (members !== undefined) {
    return Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, valueFor(member)]),
    );
  }
  if (/64 lower-case hex/.test(text)) return "ab".repeat(32);
  if (/lower-case hex/.test(text)) return "00ff";
  if (/boolean/.test(text)) return true;
  if (/integer/.test(text)) return 7;
  if (/text of at most/.test(text)) return "word";
  const words = /one of ([^,(]+)/.exec(text)?.[1];
  if (words !== undefined) return words.trim();
  const length = Number(/a list of (\d+) items/.exec(text)?.[1] ?? NaN);
  return Number.isNaN(length) ? { any: [1, null] } : undefined;
}

/** A list of a fixed number of items does not say of what. */
const KNOWN: Readonly<Record<string, unknown>> = { executed: [40, 4, 1] };

function sampleOf(of: Wire<unknown>): Uint8Array {
  const value = valueFor(of) as Record<string, unknown>;
  for (const [name, known] of Object.entries(KNOWN)) if (name in value) value[name] = known;
  return utf8(stringifyJson(value));
}

function shape(name: string, covers: readonly string[], of: Wire<unknown>): Decoder {
  return decoder({
    name,
    covers,
    samples: () => [sampleOf(of)],
    decode: (bytes) => of.parse(parseJson(utf8Text(bytes), { maxDepth: OUTSIDE_DEPTH }), name),
    errors: ["wire"],
    text: true,
    share: 0.2,
  });
}

const shapes: Decoder[] = Object.values(methods).flatMap((method) => [
  shape(`parameters of ${method.name}`, ["params"], method.params as Wire<unknown>),
  shape(`answer of ${method.name}`, ["result"], method.result as Wire<unknown>),
]);

/** A request with a body of bytes: its query up to the first line break, then its body. */
const requests: Decoder = decoder({
  name: "a request of submit in bytes",
  covers: ["decodeRequest"],
  samples: () => ["", "?forced=true"].map((query) => utf8(`${query}\nbody`)),
  decode(bytes) {
    const end = bytes.indexOf(10);
    const query = utf8Text(bytes.subarray(0, Math.max(0, end)));
    return decodeRequest(methods.submit, {
      query,
      contentType: BYTES_TYPE,
      body: bytes.subarray(end + 1),
    });
  },
  errors: ["bad-request"],
  text: true,
});

/** A request of a gateway's client: all that it asks is in its query. */
const queries: Decoder = decoder({
  name: "a query of objects",
  covers: ["decodeQuery"],
  samples: () =>
    ["?kind=claim&limit=2", `?kind=claim&after=${"ab".repeat(32)}`, '?kind="claim"'].map(utf8),
  decode: (bytes) => decodeQuery(methods.objects, utf8Text(bytes)),
  errors: ["bad-request"],
  text: true,
});

/** What a parser made of bytes that came in pieces of a size. */
function parsed(bytes: Uint8Array, size: number): string {
  let seen = "";
  let whole = false;
  let parser: HttpParser | undefined;
  try {
    parser = createHttpParser({
      onHead: (head) => void (seen += JSON.stringify(head)),
      onBody: (part) => void (seen += toHex(part)),
    });
    for (let at = 0; at < bytes.length && !whole; at += size) {
      whole = parser.take(bytes.subarray(at, at + size));
    }
    whole ||= parser.end();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "refused";
  }
  return `${seen} ${whole} ${parser.keepAlive}`;
}

const http = decoder({
  name: "an answer over HTTP",
  covers: ["createHttpParser"],
  samples: () =>
    [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "5;x=1\r\nhello\r\n3\r\nyou\r\n0\r\nTrailer: 1\r\n\r\n",
      "HTTP/1.0 503 Busy\nServer: a\n\nuntil the end",
      "HTTP/1.1 204 No Content\r\n\r\n",
    ].map(utf8),
  decode: (bytes) => parsed(bytes, bytes.length + 1),
  // However it is cut, an answer that is taken is the same.
  use: (whole) => whole,
});

const httpInPieces = decoder({
  ...http,
  name: "an answer over HTTP, byte by byte",
  covers: [],
  decode(bytes: Uint8Array) {
    const short = bytes.subarray(0, 2_000);
    const [one, all] = [parsed(short, 1), parsed(short, short.length + 1)];
    // What comes behind an answer in one piece is refused; byte by byte nobody asks for it.
    if (one !== all && all !== "refused") throw new Error(`${one} is not ${all}`);
    return one;
  },
  share: 0.5,
});

const framesOf = (bytes: Uint8Array, size: number): Uint8Array[] | undefined => {
  const frames: Uint8Array[] = [];
  const take = frameSplitter(() => 1_000, (frame) => void frames.push(frame));
  for (let at = 0; at < bytes.length; at += size) {
    if (!take(bytes.subarray(at, at + size))) return undefined;
  }
  return frames;
};

const frames = decoder({
  name: "frames of a connection",
  covers: ["frameSplitter"],
  samples: () => {
    const frame = (...bytes: number[]) => Uint8Array.of(0, 0, 0, bytes.length, ...bytes);
    return [concatBytes(frame(1, 2, 3), frame(), frame(9)), frame(...Array<number>(200).fill(7))];
  },
  decode(bytes) {
    const [one, all] = [framesOf(bytes, 7), framesOf(bytes, bytes.length + 1)];
    if ((one === undefined) !== (all === undefined)) throw new Error("it depends on the pieces");
    return one?.map(toHex).join() === all?.map(toHex).join() ? all ?? [] : [new Error("pieces")];
  },
});

/** Proofs of 32 bytes, of which the other end can make none. */
const peerProofs: PeerProofs = {
  bytes: 32,
  isValidator: (index) => index < 4,
  prove: () => Promise.resolve(new Uint8Array(32)),
  holds: () => Promise.resolve(false),
};

/** What a greeting's end did with a frame that came twice, of whoever says to be a validator. */
async function greeted(frame: Uint8Array, end: "dial" | "listen"): Promise<string[]> {
  const told: string[] = [];
  let take: (frame: Uint8Array) => void = () => {};
  const socket: FrameSocket = {
    waitingBytes: 0,
    remoteHost: "127.0.0.1",
    send: () => told.push("sent") > 0,
    onFrame: (callback) => void (take = callback),
    admit: () => void told.push("admitted"),
    onClose: () => {},
    onOversize: () => {},
    end: () => void told.push("ended"),
    close: () => void told.push("closed"),
  };
  greet(
    socket,
    { self: () => 0, chain: "c0".repeat(32), proofs: peerProofs },
    {
      end,
      nonce: new Uint8Array(32),
      isOwnNonce: () => false,
      maxFrameBytes: () => 1_000,
    },
    {
      onGreeted: (peer) => void told.push(peer === null ? "a follower" : `greeted ${peer}`),
      onRefused: (reason) => void told.push(reason),
      onFrame: () => {},
    },
  );
  take(frame);
  await Promise.resolve();
  take(frame);
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
  return told;
}

const greeting = decoder({
  name: "a greeting",
  covers: ["codec", "helloCodec"],
  samples: () => {
    const hello = (from: number) =>
      concatBytes(
        utf8("sion/peer"),
        Uint8Array.of(FORMAT_VERSION, 0),
        new Uint8Array(32).fill(0xc0),
        Uint8Array.of(from),
        new Uint8Array(32),
      );
    return [hello(1), hello(255), new Uint8Array(32)];
  },
  async decode(frame) {
    const told = [...await greeted(frame, "listen"), ...await greeted(frame, "dial")];
    // Nobody here proves anything.
    if (told.some((what) => what.startsWith("greeted"))) throw new Error(told.join());
    return told;
  },
});

const mcp = decoder({
  name: "lines of an MCP client",
  covers: ["readLines", "runMcpServer"],
  samples: () =>
    [
      request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} }),
      request(2, "tools/call", { name: "echo", arguments: { text: "a" }, _meta: MODERN }),
      [request("x", "ping"), request(3, "tools/list", { _meta: MODERN })],
    ].map((message) => utf8(`${stringifyJson(message)}\n`)),
  async decode(bytes) {
    // Each line that comes back is one message.
    const lines = await linesFor(bytes);
    return lines.map((line) => parseJson(line));
  },
  share: 0.3,
});

const seed = decoder({
  name: "a wallet's file",
  covers: ["parseSeed"],
  samples: () => [utf8(`${"0a".repeat(32)}\n`)],
  decode: (bytes) => parseSeed(bytes, "the file"),
  errors: ["wallet-damaged"],
});

/** What reads a file makes of these bytes. */
async function readAs<T>(bytes: Uint8Array, reads: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "sion-fuzz-"));
  const path = join(folder, "file.json");
  try {
    writeFileSync(path, bytes, { mode: 0o600 });
    return await reads(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const FILE_ERRORS = ["folder-damaged", "other-format", "file-unfit"];

const genesisFile = decoder({
  name: "a genesis file",
  covers: ["genesisShape", "parseGenesis"],
  samples: () => [
    utf8(stringifyJson({
      accounts: [["ab".repeat(32), 5n]],
      chain_id: "sion-devnet-1",
      faucet: true,
      format: FORMAT_VERSION,
      insecure_signatures: true,
      shards: 2,
      time_ms: 1_700_000_000_000n,
      validators: [{ operator: "ab".repeat(32), public_key: "cd".repeat(40), stake: 9n }],
    })),
  ],
  decode: (bytes) =>
    readAs(
      bytes,
      (path) =>
        readGenesis(path, { whole: "~/d", file: "~/d/genesis.json", remedy: "give another --dir" }),
    ),
  errors: FILE_ERRORS,
  share: 0.3,
});

const keyFile = decoder({
  name: "a validator's key file",
  covers: ["keyShape", "readKey"],
  samples: () => [utf8(stringifyJson({ seed: "0b".repeat(32), store: "0c".repeat(16) }))],
  decode: (bytes) => readAs(bytes, (path) => readKey(path, "~/d/key.json", "give another --dir")),
  errors: FILE_ERRORS,
  share: 0.3,
});

/** Keys, digests and signatures of any bytes: the answer is yes or no. */
async function verifiers(): Promise<Decoder[]> {
  const digest = new Uint8Array(32).fill(5);
  return await Promise.all([undefined, "insecure" as const].map(async (name) => {
    const backend = await loadDualBackend(name);
    const keys = await backend.keysFromSeed(new Uint8Array(32).fill(6));
    const signature = await backend.sign(keys, digest, (length) => new Uint8Array(length));
    const { length } = keys.publicKey;
    return decoder({
      name: `a dual signature (${name ?? "real"})`,
      covers: ["verify"],
      samples: () => [concatBytes(keys.publicKey, signature)],
      decode: (bytes) => backend.verify(bytes.slice(0, length), digest, bytes.slice(length)),
      share: name === undefined ? 0.03 : 0.5,
    });
  }));
}

/** Everything that is text, a stream or a file. */
export const TEXT_DECODERS: readonly Decoder[] = [
  ...shapes,
  shape("the body of an error", ["errorBody"], errorBody as Wire<unknown>),
  requests,
  queries,
  http,
  httpInPieces,
  frames,
  greeting,
  mcp,
  seed,
  genesisFile,
  keyFile,
  ...await verifiers(),
];
