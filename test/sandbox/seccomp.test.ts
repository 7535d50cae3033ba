/** The filter of system calls, executed instruction by instruction, for both processors. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assemble, give, when } from "../../internal/sandbox/seccomp/bpf.ts";
import { seccompFilter } from "../../internal/sandbox/seccomp/filter.ts";
import type { SocketReach } from "../../internal/sandbox/seccomp/filter.ts";
import type { Processor } from "../../internal/sandbox/seccomp/syscalls.ts";
import { ARCHITECTURES } from "../../internal/sandbox/seccomp/syscalls.ts";
import { runFilter } from "./_bpf.ts";

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const EAFNOSUPPORT = 0x0005_0061;

/** Calls by number, from the kernel's own tables: x86-64 and arm64. */
const REFUSED: readonly (readonly [string, number, number])[] = [
  ["ptrace", 101, 117],
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["pivot_root", 155, 41],
  ["chroot", 161, 51],
  ["unshare", 272, 97],
  ["setns", 308, 268],
  ["bpf", 321, 280],
  ["perf_event_open", 298, 241],
  ["userfaultfd", 323, 282],
  ["keyctl", 250, 219],
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["open_by_handle_at", 304, 265],
  ["init_module", 175, 105],
  ["finit_module", 313, 273],
  ["kexec_load", 246, 104],
  ["reboot", 169, 142],
  ["swapon", 167, 224],
  ["settimeofday", 164, 170],
  ["clock_settime", 227, 112],
  ["syslog", 103, 116],
  ["pidfd_getfd", 438, 438],
  ["personality", 135, 92],
];
const NOT_THERE: readonly (readonly [string, number])[] = [
  ["io_uring_setup", 425],
  ["io_uring_enter", 426],
  ["io_uring_register", 427],
  ["clone3", 435],
  ["open_tree", 428],
  ["move_mount", 429],
  ["fsopen", 430],
  ["fsmount", 432],
  ["mount_setattr", 442],
  ["memfd_secret", 447],
];
const ORDINARY: readonly (readonly [string, number, number])[] = [
  ["read", 0, 63],
  ["write", 1, 64],
  ["openat", 257, 56],
  ["execve", 59, 221],
  ["mmap", 9, 222],
  ["futex", 202, 98],
  ["connect", 42, 203],
  ["wait4", 61, 260],
  ["getrandom", 318, 278],
  ["seccomp", 317, 277],
  ["prctl", 157, 167],
];
const LOOKED_AT = {
  x64: { clone: 56, ioctl: 16, socket: 41, socketpair: 53 },
  arm64: { clone: 220, ioctl: 29, socket: 198, socketpair: 199 },
} as const;

describe.each(["x64", "arm64"] as const)("seccompFilter() for %s", (processor: Processor) => {
  const architecture = ARCHITECTURES[processor];
  const column = processor === "x64" ? 1 : 2;
  const ask = (number: number, args: readonly number[] = [], reach: SocketReach = "own") =>
    runFilter(seccompFilter(processor, reach), { number, architecture, arguments: args });
  const { clone, ioctl, socket, socketpair } = LOOKED_AT[processor];

  test("lets through what programs live on", () => {
    for (const call of ORDINARY) expect(ask(call[column]), call[0]).toBe(ALLOW);
  });

  test("refuses what steers other processes, mounts, keys, modules and clocks [A-076 A-100]", () => {
    for (const call of REFUSED) expect(ask(call[column]), call[0]).toBe(EPERM);
  });

  test("answers for calls whose arguments it cannot see as a kernel without them", () => {
    for (const [name, number] of NOT_THERE) expect(ask(number), name).toBe(ENOSYS);
  });

  test("lets processes and threads be made, but no namespaces", () => {
    expect(ask(clone, [17])).toBe(ALLOW);
    expect(ask(clone, [0x003d_0f00])).toBe(ALLOW);
    const namespaces = [
      0x80,
      0x0002_0000,
      0x0200_0000,
      0x0400_0000,
      0x0800_0000,
      0x1000_0000,
      0x2000_0000,
      0x4000_0000,
    ];
    for (const flag of namespaces) expect(ask(clone, [flag | 17]), flag.toString(16)).toBe(EPERM);
  });

  test("lets terminals be used, but nothing be typed into them", () => {
    expect(ask(ioctl, [0, 0x5401])).toBe(ALLOW);
    for (const request of [0x5412, 0x541c, 0x5423]) expect(ask(ioctl, [0, request])).toBe(EPERM);
  });

  test("gives sockets of four families, of three on the host's network, of none without one", () => {
    const families = [1, 2, 10, 16];
    for (let family = 0; family < 50; family++) {
      const known = families.includes(family);
      expect(ask(socket, [family])).toBe(known ? ALLOW : EAFNOSUPPORT);
      const onHost = known && family !== 1;
      expect(ask(socket, [family], "host")).toBe(onHost ? ALLOW : EAFNOSUPPORT);
      expect(ask(socket, [family], "none")).toBe(EAFNOSUPPORT);
      expect(ask(socketpair, [family], "none")).toBe(family === 1 ? ALLOW : EAFNOSUPPORT);
    }
  });

  test("ends who calls by another processor's numbers", () => {
    const filter = seccompFilter(processor, "own");
    for (const other of [0x4000_0003, 0x4000_0028, 0]) {
      expect(runFilter(filter, { number: 1, architecture: other })).toBe(KILL);
    }
    if (processor === "x64") {
      for (const { 1: number } of REFUSED) expect(ask(0x4000_0000 | number)).toBe(ENOSYS);
    }
  });

  test("fits in what a kernel takes, and every jump in its byte", () => {
    expect(seccompFilter(processor, "own").length / 8).toBeLessThan(4_096);
    const far = Array.from({ length: 256 }, () => give(ALLOW));
    expect(() => assemble(when("equal", 1, far))).toThrow("skips more than 255");
  });
});

const HEADERS = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
};

test("the numbers are those of the system's headers, where it has them", () => {
  const looked = [...REFUSED, ...ORDINARY];
  for (const processor of ["x64", "arm64"] as const) {
    const file = HEADERS[processor];
    // Kernels never renumber a call, so that the tables above hold where there are no headers.
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const column = processor === "x64" ? 1 : 2;
    for (const call of looked) {
      const [, number] = new RegExp(`#define __NR(?:3264)?_${call[0]} (\\d+)`).exec(text) ?? [];
      expect(Number(number ?? call[column]), `${processor} ${call[0]}`).toBe(call[column]);
    }
  }
});
