/**
 * The seccomp filter of sandboxed commands: what flatpak and other sandboxes refuse together. Made of
 * tables (`syscalls.ts`), for the processor it runs on.
 */
import type { Instruction } from "./bpf.ts";
import { assemble, DATA, give, load, VERDICT, when } from "./bpf.ts";
import type { Processor } from "./syscalls.ts";
import { ARCHITECTURES, syscallNumbers } from "./syscalls.ts";

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Numbers from here on are the x32 calling convention of x86-64. */
const X32_BIT = 0x4000_0000;
/** `CLONE_NEW*` of `linux/sched.h`: namespaces for mounts, cgroups, names, IPC, users, pids, nets, time. */
const CLONE_NEW_ANY = 0x7e02_0080;
/** `TIOCSTI`, `TIOCLINUX`, `TIOCSETD`: typing into a terminal, and changing what it is. */
const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x5423];

/** Address families of `linux/socket.h`. */
const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;

/**
 * Where a socket may lead. `own`: the sandbox has a network of its own, and nothing is in reach.
 * `host`: the machine's network, whose abstract sockets (X11, D-Bus) would then be in reach, so none
 * of AF_UNIX. `none`: the sandbox could get no network of its own, so no socket at all.
 */
export type SocketReach = "own" | "host" | "none";

/** Never AF_VSOCK, AF_PACKET and the like: no namespace holds the first, and nobody needs the others. */
const FAMILIES: Readonly<Record<SocketReach, readonly number[]>> = {
  own: [AF.unix, AF.inet, AF.inet6, AF.netlink],
  host: [AF.inet, AF.inet6, AF.netlink],
  none: [],
};

/** The filter's bytes. Pairs of AF_UNIX sockets lead nowhere and are always allowed. */
export function seccompFilter(processor: Processor, reach: SocketReach): Uint8Array {
  const calls = syscallNumbers(processor);
  return assemble([
    load(DATA.architecture),
    // The same processor's other calling conventions (int 0x80) would have other numbers.
    ...unless("equal", ARCHITECTURES[processor], [give(VERDICT.killProcess)]),
    load(DATA.syscall),
    ...(processor === "x64" ? when("atLeast", X32_BIT, [give(VERDICT.fail(ENOSYS))]) : []),
    ...calls.refused.flatMap((number) => when("equal", number, [give(VERDICT.fail(EPERM))])),
    ...calls.notThere.flatMap((number) => when("equal", number, [give(VERDICT.fail(ENOSYS))])),
    ...when("equal", calls.clone, [
      load(DATA.argument(0)),
      ...when("anyBit", CLONE_NEW_ANY, [give(VERDICT.fail(EPERM))]),
      give(VERDICT.allow),
    ]),
    ...when("equal", calls.ioctl, [
      load(DATA.argument(1)),
      ...TERMINAL_REQUESTS.flatMap((request) =>
        when("equal", request, [give(VERDICT.fail(EPERM))])
      ),
      give(VERDICT.allow),
    ]),
    ...sockets(calls.socket, FAMILIES[reach]),
    ...sockets(calls.socketpair, [AF.unix]),
    give(VERDICT.allow),
  ]);
}

function sockets(call: number, families: readonly number[]): readonly Instruction[] {
  return when("equal", call, [
    load(DATA.argument(0)),
    ...families.flatMap((family) => when("equal", family, [give(VERDICT.allow)])),
    give(VERDICT.fail(EAFNOSUPPORT)),
  ]);
}

/** The other way round: `then` where the test fails. */
function unless(
  test: "equal",
  operand: number,
  then: readonly Instruction[],
): readonly Instruction[] {
  const [first, ...rest] = when(test, operand, then);
  return [{ ...first as Instruction, ifTrue: then.length, ifFalse: 0 }, ...rest];
}
