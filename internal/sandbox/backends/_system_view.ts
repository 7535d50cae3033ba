/** What of this machine's system is shown in bubblewrap: facts that are looked up once. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The machine as arguments of bubblewrap need it. */
export interface SystemView {
  /** Folders of programs at the root: links as they are, folders to be bound. */
  readonly links: readonly { readonly at: string; readonly target: string }[];
  readonly folders: readonly string[];
  /** Files and folders of `/etc` that programs need and that hold no secrets. */
  readonly settings: readonly string[];
  /** Folders of `/proc` that root could write. */
  readonly processFolders: readonly string[];
  /** Files of `/proc` that say more of the machine than a command needs. */
  readonly processFiles: readonly string[];
}

const ROOT_FOLDERS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** Never `/etc` whole: a runtime that is root could read its secrets in the sandbox too. */
const SETTINGS: readonly (string | RegExp)[] = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "perl",
  "pki/ca-trust/extracted",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "pki/tls/openssl.cnf",
  "protocols",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
  /^java-[\w-]+$/,
  /^python[\d.]*$/,
];

const PROCESS_FOLDERS = ["acpi", "asound", "bus", "fs", "irq", "scsi", "sys"];
const PROCESS_FILES = [
  "cmdline",
  "config.gz",
  "interrupts",
  "kallsyms",
  "kcore",
  "keys",
  "kmsg",
  "latency_stats",
  "sched_debug",
  "slabinfo",
  "sysrq-trigger",
  "timer_list",
  "timer_stats",
];

/** Looks the machine up. */
export function systemView(): SystemView {
  const found = ROOT_FOLDERS.map((name) => `/${name}`).filter((path) => existsSync(path));
  const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();
  return {
    links: found.filter(isLink).map((at) => ({ at, target: readlinkSync(at) })),
    folders: ["/usr", ...found.filter((path) => !isLink(path))],
    settings: settings(),
    processFolders: PROCESS_FOLDERS.map((name) => `/proc/${name}`).filter(existsSync),
    processFiles: PROCESS_FILES.map((name) => `/proc/${name}`).filter(existsSync),
  };
}

function settings(): readonly string[] {
  const names = readdirSync("/etc");
  return SETTINGS.flatMap((wanted) =>
    typeof wanted === "string" ? [wanted] : names.filter((name) => wanted.test(name))
  ).map((name) => join("/etc", name)).filter((path) => existsSync(path));
}
