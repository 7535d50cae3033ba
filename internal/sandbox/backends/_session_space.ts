/**
 * What the commands of one sandbox have in common: a loopback, so that one reaches the server that
 * another runs, and a `/tmp`. bubblewrap makes both once; descriptors of this process keep them, and
 * nothing else: they are gone with it, however it ends.
 */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { processId, startChild } from "#internal/runtime/mod.ts";
import { TMP_BYTES } from "../sandbox.ts";
import type { StateFolder } from "./_state_folder.ts";

/** How long it may take to be made, ms: a machine under load is slow, not broken. */
const MAKE_MS = 30_000;

/** A space that commands are started in. */
export interface SessionSpace extends AsyncDisposable {
  /** What stands before bubblewrap, which is started in it then. */
  readonly enter: readonly string[];
  /** The folder that is `/tmp`; in the space alone it is one of its own, in memory. */
  readonly tmp: string;
}

/** What a space is made with. */
export interface SpaceParts {
  readonly bwrap: string;
  readonly nsenter: string;
  readonly folder: StateFolder;
  /** Whether it has a loopback; commands with the machine's network have that one's. */
  readonly loopback: boolean;
}

/** Makes one, or gives none where the system does not allow it: then each command has its own. */
export async function makeSessionSpace(parts: SpaceParts): Promise<SessionSpace | undefined> {
  const { bwrap, nsenter, folder, loopback } = parts;
  const tmp = join(folder.path, "tmp");
  await mkdir(tmp, { mode: 0o700 });
  // Root in the space, without being more outside: who enters makes the command's own namespaces there.
  const child = await startChild({
    command: bwrap,
    args: [
      ...["--unshare-user", "--uid", "0", "--gid", "0"],
      ...(loopback ? ["--unshare-net"] : []),
      ...["--die-with-parent", "--cap-drop", "ALL", "--dev-bind", "/", "/"],
      ...["--size", String(TMP_BYTES), "--tmpfs", tmp],
      ...["--", "/bin/sh", "-c", "echo $$; read -r end"],
    ],
    cwd: "/",
    env: {},
    stderr: "ignore",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), MAKE_MS);
  try {
    const pid = await firstLine(child.stdout);
    const kinds = ["user", "mnt", ...(loopback ? ["net"] : [])];
    return /^\d+$/.test(pid) ? await keep(nsenter, tmp, pid, kinds) : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** Keeps the namespaces of a process by descriptors. */
async function keep(
  nsenter: string,
  tmp: string,
  pid: string,
  kinds: readonly string[],
): Promise<SessionSpace> {
  const kept: { readonly kind: string; readonly file: FileHandle }[] = [];
  const close = async (): Promise<void> => {
    for (const { file } of kept) await file.close();
  };
  try {
    for (const kind of kinds) {
      kept.push({ kind, file: await open(`/proc/${pid}/ns/${kind}`, constants.O_RDONLY) });
    }
  } catch (error) {
    await close();
    throw error;
  }
  const names: Readonly<Record<string, string>> = { user: "user", mnt: "mount", net: "net" };
  return {
    enter: [
      nsenter,
      "--preserve-credentials",
      ...kept.map(({ kind, file }) => `--${names[kind]}=/proc/${processId()}/fd/${file.fd}`),
    ],
    tmp,
    [Symbol.asyncDispose]: close,
  };
}

/** The first line that a stream says. */
export async function firstLine(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of stream) {
    text += new TextDecoder().decode(piece);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
