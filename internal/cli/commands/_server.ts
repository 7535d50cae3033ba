/** What the commands that serve clients share: their addresses, their log, their end. */
import { quoteOddWord, stringifyJson } from "#internal/core/mod.ts";
import type { Logger, LogLevel } from "#internal/core/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import type { Reader } from "../command.ts";
import { list, value } from "../command.ts";
import type { Program } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Output } from "../output.ts";

/** An address, as `--listen` takes it. */
interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`; a port alone is on this machine. Port 0 is for listening only. */
export function address(example: string): Reader<HostPort> {
  return {
    placeholder: "HOST:PORT",
    read(given, what) {
      const match = /^(?:(\[[0-9a-f:.]+\]|[^:\s,]+):)?(\d{1,5})$/i.exec(given);
      const port = Number(match?.[2] ?? NaN);
      if (match === null || port > 65_535) {
        throw usageError(
          `${what} ${quoteOddWord(given)} is no address: write it like ${example}`,
        );
      }
      return { host: (match[1] ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1"), port };
    },
  };
}

/** The URL of a server, of HTTP and without a query. */
export const httpAddress: Reader<URL> = {
  placeholder: "URL",
  read(given, what) {
    const url = URL.parse(given);
    const fits = url !== null && (url.protocol === "http:" || url.protocol === "https:") &&
      url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (!fits) {
      throw usageError(
        `${what} ${quoteOddWord(given)} is no server's URL: write it like http://127.0.0.1:3000`,
      );
    }
    return url;
  },
};

/** Where clients reach the node. */
const listen: Reader<HostPort> = address("127.0.0.1:8400");

/** Where peers reach it. */
export const peerListen: Reader<HostPort> = address("127.0.0.1:8500");

/** Where peers are, one or several. */
export const peerAddresses: Reader<readonly HostPort[]> = {
  placeholder: "HOST:PORT,…",
  read: (given, what) => given.split(",").map((one) => peerListen.read(one.trim(), what)),
};

const hostName: Reader<string> = {
  placeholder: "NAME",
  read(given, what) {
    if (!/^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/i.test(given)) {
      throw usageError(
        `${what} ${given} is no host name: write it like node.example, without a port`,
      );
    }
    return given;
  },
};

/** `--listen` and `--allow-host`. */
export const clientFlags = {
  listen: value(listen, "where clients reach it; port 0 takes any free port", {
    default: "default 127.0.0.1:8400",
  }),
  allowHost: list(hostName, "a name besides localhost that clients may call it by"),
};

/**
 * A log on standard error: for people at a terminal its warnings and errors in words, else one JSON
 * object a line with `time`, `level`, `message` and what belongs to it.
 */
export function serverLogger(output: Output): Logger {
  return {
    log(level, message, fields = {}) {
      if (level === "debug") return;
      if (!output.stderr.isTty) {
        const time = new Date(systemClock.nowMs()).toISOString();
        output.note(stringifyJson({ time, level, message, ...fields }));
      } else if (level !== "info") {
        output.note(logLine(level, message, fields));
      }
    },
  };
}

/** A line of the log for people: `warning: Dropped a peer: it is of another chain`. */
export function logLine(
  level: Extract<LogLevel, "warn" | "error">,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const details = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  const word = level === "warn" ? "warning" : "error";
  return `${word}: ${message}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

/** A bundle is one file, which its threads run too; from source they run less of it. */
export function workerEntryOf({ url }: Program): { readonly workerEntry?: string } {
  return url.endsWith(".ts") ? {} : { workerEntry: url };
}

/** Resolves when the signal aborts. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}
