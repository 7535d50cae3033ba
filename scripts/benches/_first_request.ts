/**
 * From the start of `sion agent run` to the first request at its model: the built bundle on Node, the
 * source on Deno, each beside a program that does nothing but make such a request.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { ROOT, which } from "../_project.ts";
import type { Place } from "../_sion.ts";
import { environment, sion } from "../_sion.ts";
import { progress, spread, tenth } from "./_bench.ts";

/** The model that stands in for a real one. */
export const MODEL = "anthropic:claude-sonnet-5";
/** The agent of these figures. */
export const AGENT = "bencher";
/** What the programs beside it run, in either runtime. */
const BARE =
  'await (await fetch(process.env.ANTHROPIC_BASE_URL+"/v1/messages",{method:"POST",body:"{}"})).text()';

const event = (data: { readonly type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const ANSWER = [
  event({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } }),
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
  event({ type: "message_stop" }),
].join("");

/** A model that says "Hi." and knows when it was asked, and with how many bytes. */
interface Model extends AsyncDisposable {
  readonly url: string;
  /** Forgets the last request, and resolves at the next. */
  asked(): Promise<{ readonly atMs: number; readonly bytes: number }>;
}

async function startModel(): Promise<Model> {
  let tell: ((asked: { atMs: number; bytes: number }) => void) | undefined;
  const server = createServer((request, response) => {
    const atMs = performance.now();
    let bytes = 0;
    request.on("data", (part: Uint8Array) => void (bytes += part.length));
    request.on("end", () => {
      tell?.({ atMs, bytes });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(ANSWER);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => new Promise((resolve) => (tell = resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Makes the agent of these figures on a devnet. */
export async function makeAgent(place: Place): Promise<void> {
  for (
    const args of [
      ["wallet", "new", AGENT],
      ["agent", "create", "alice", AGENT, "--name", AGENT, "--budget", "1", "--payee", "bob"],
    ]
  ) {
    const { code, stderr } = await sion(place, ...args);
    if (code !== 0) throw new Error(`sion ${args.join(" ")} failed: ${stderr}`);
  }
}

/**
 * Measures in rounds of one start each, so that what else runs is shared by all.
 * @param place a devnet with the agent, whose program is the bundle on Node
 */
export async function firstRequests(
  place: Place,
  rounds: number,
): Promise<Readonly<Record<string, unknown>>> {
  await using model = await startModel();
  const deno = which("deno");
  const denoRun = [deno ?? "", "run", "-A", "--quiet", "--no-check"];
  const run = ["agent", "run", AGENT, AGENT, "--task", "Say hi.", "--model", MODEL];
  const programs: readonly (readonly [string, readonly string[]])[] = [
    ["node", [...place.program ?? [], ...run]],
    ["bare_node", [process.execPath, "--input-type=module", "-e", BARE]],
    ...(deno === undefined ? [] : [
      ["deno", [...denoRun, join(ROOT, "cmd/sion/main.ts"), ...run]],
      ["bare_deno", [deno, "eval", BARE]],
    ] as const),
  ];
  progress(`${rounds} rounds of ${programs.length} starts`);
  const taken = new Map(programs.map(([name]) => [name, [] as number[]]));
  let bytes = 0;
  // One of each is not counted: files come from disk.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, words] of programs) {
      const asked = model.asked();
      const startMs = performance.now();
      const ended = ends(place, words, model.url);
      const first = await Promise.race([asked, ended.then(() => asked)]);
      await ended;
      if (round > 0) taken.get(name)?.push(first.atMs - startMs);
      if (name === "node") ({ bytes } = first);
    }
  }
  return {
    ...Object.fromEntries(
      [...taken].map(([name, ms]) => [`first_request_${name}_ms`, spread(ms).median]),
    ),
    // What else runs on the machine shows least in these.
    first_request_least_ms: Object.fromEntries(
      [...taken].map(([name, ms]) => [name, spread(ms).min]),
    ),
    first_request_kb: tenth(bytes / 1_000),
  };
}

function ends(place: Place, words: readonly string[], url: string): Promise<void> {
  const [program = "", ...args] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...environment(place), ANTHROPIC_API_KEY: "bench", ANTHROPIC_BASE_URL: url },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => said += text);
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${words.join(" ")} ended with ${code}: ${said.trim()}`));
    });
  });
}
