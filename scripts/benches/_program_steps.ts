/**
 * What a step of `sion agent run` costs besides its model: from the end of an answer that wants a call
 * to the next request, over a run of steps, by the built bundle on Node; a command beside bare `bwrap`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { run, which } from "../_project.ts";
import type { Place } from "../_sion.ts";
import { environment } from "../_sion.ts";
import { progress, spread, tenth, timed } from "./_bench.ts";
import { AGENT, MODEL } from "./_first_request.ts";
import { residentMb } from "./_usage.ts";

/** Sequential steps of a run. */
const STEPS = 20;

/** A call that the model wants. */
interface WantedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const event = (data: { readonly type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** An answer of Anthropic's Messages API: a call, or words when there is none left to want. */
function answerOf(call: WantedCall | undefined, number: number): string {
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5",
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const block = call === undefined
    ? { type: "text", text: "" }
    : { type: "tool_use", id: `toolu_${number}`, name: call.tool, input: {} };
  const delta = call === undefined
    ? { type: "text_delta", text: "Done." }
    : { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
  return [
    event({ type: "message_start", message }),
    event({ type: "content_block_start", index: 0, content_block: block }),
    event({ type: "content_block_delta", index: 0, delta }),
    event({ type: "content_block_stop", index: 0 }),
    event({
      type: "message_delta",
      delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" },
      usage: { output_tokens: 2 },
    }),
    event({ type: "message_stop" }),
  ].join("");
}

/** What one run showed: ms of each step, and the process's memory at its last request. */
interface Steps {
  readonly ms: readonly number[];
  readonly rssMb: number;
}

/** Runs the agent through the calls. @throws {Error} when the run does not end well */
async function steps(
  place: Place,
  calls: readonly WantedCall[],
  options: readonly string[],
): Promise<Steps> {
  const ms: number[] = [];
  let number = 0;
  let answeredMs: number | undefined;
  let rssMb = 0;
  let child: ChildProcess | undefined;
  const server = createServer((request, response) => {
    const atMs = performance.now();
    if (answeredMs !== undefined) ms.push(atMs - answeredMs);
    request.resume();
    request.on("end", () => {
      const call = calls[number++];
      if (call === undefined && child?.pid !== undefined) rssMb = residentMb(child.pid);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answerOf(call, number), () => (answeredMs = performance.now()));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo;
    const [program = "", ...args] = place.program ?? [];
    const words = ["agent", "run", AGENT, AGENT, "--task", "Go on.", "--model", MODEL, ...options];
    child = spawn(program, [...args, ...words], {
      env: {
        ...environment(place),
        ANTHROPIC_API_KEY: "bench",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await endsWell(child);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  if (ms.length !== calls.length) {
    throw new Error(`the agent made ${ms.length} of ${calls.length} steps`);
  }
  return { ms, rssMb };
}

function endsWell(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => said += text);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => said += text);
    child.once("error", reject);
    child.once("close", (code) => {
      // What a call did is printed with a cross when it failed.
      if (code === 0 && !said.includes("✗")) resolve();
      else reject(new Error(`sion agent run ended with ${code}: ${said.trim().slice(-500)}`));
    });
  });
}

/**
 * Measures both kinds of steps.
 * @param place a devnet with the agent, whose program is the bundle on Node
 */
export async function programSteps(
  place: Place & { readonly folder: string },
): Promise<Readonly<Record<string, unknown>>> {
  progress(`${STEPS} steps that read, ${STEPS} that run a command`);
  const work = join(place.folder, "work");
  mkdirSync(work, { recursive: true });
  // Never the same call twice: the runtime would notice that it goes round in circles.
  const numbers = Array.from({ length: STEPS }, (_, index) => index + 1);
  for (const n of numbers) writeFileSync(join(work, `${n}.txt`), `file ${n}\n`.repeat(20));
  const options = ["--workspace", work, "--autonomy", "L3"];
  const reads = numbers.map((n) => ({ tool: "read_file", input: { path: `${n}.txt` } }));
  const read = await steps(place, reads, options);
  const found = { step_read_ms: spread(read.ms).median, rss_mb: tenth(read.rssMb) };
  const bwrap = which("bwrap");
  if (bwrap === undefined) return found;
  const commands = numbers.map((n) => ({ tool: "shell", input: { command: `true ${n}` } }));
  const shell = await steps(place, commands, [...options, "--shell"]);
  const bare: number[] = [];
  for (let round = 0; round < STEPS; round += 1) {
    const words = [bwrap, "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true"];
    bare.push(await timed(() => run(words)));
  }
  return {
    ...found,
    step_shell_ms: spread(shell.ms).median,
    bare_bwrap_ms: spread(bare).median,
    // What else runs on the machine shows least in these.
    step_shell_least_ms: spread(shell.ms).min,
    bare_bwrap_least_ms: spread(bare).min,
    rss_mb: tenth(Math.max(read.rssMb, shell.rssMb)),
  };
}
