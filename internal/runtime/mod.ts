/**
 * What differs between Deno and Node, and what touches the machine: clock, randomness, files,
 * processes, threads, sockets, the terminal. The only unit with `Deno.*`.
 */
export * from "./addresses.ts";
export * from "./body_bounds.ts";
export * from "./bounded_fetch.ts";
export * from "./children.ts";
export * from "./download.ts";
export * from "./environment.ts";
export * from "./error_code.ts";
export * from "./event_client.ts";
export * from "./file_server.ts";
export * from "./faults.ts";
export * from "./files.ts";
export * from "./frames.ts";
export * from "./http_client.ts";
export * from "./http_host.ts";
export * from "./http_limits.ts";
export type { HttpErrorCode, HttpRequest, HttpResponse, HttpStream } from "./http_socket.ts";
export type { HttpHead } from "./http_parser.ts";
export * from "./keyring.ts";
export * from "./large_files.ts";
export * from "./lock.ts";
export * from "./named_pipes.ts";
export * from "./other_processes.ts";
export * from "./one_arena.ts";
export * from "./platform.ts";
export * from "./random.ts";
export * from "./server_time.ts";
export * from "./signals.ts";
export * from "./sqlite.ts";
export * from "./terminal.ts";
export * from "./time.ts";
export * from "./web_client.ts";
export * from "./web_page.ts";
export * from "./workers.ts";
