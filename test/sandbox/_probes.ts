/**
 * What a command may try to see or do beyond its sandbox. Each row prints what it finds; the pattern
 * is what it finds in a sandbox that holds. Perl is on every Debian, and makes raw system calls.
 */

import { processorName } from "#internal/runtime/mod.ts";

/** One attempt. */
export interface Probe {
  readonly name: string;
  readonly run: string;
  readonly holds: RegExp;
}

/** What the probes look for. */
export interface ProbePlace {
  /** `$SION_HOME` of the runtime. */
  readonly home: string;
  /** A file outside of the workspace. */
  readonly outside: string;
  /** The runtime's own process. */
  readonly pid: number;
  /** Where something listens on the machine's loopback. */
  readonly port: number;
  /** The name of an abstract socket that something listens on. */
  readonly socket: string;
}

/** Numbers of system calls: x86-64, arm64. */
const CALLS: Readonly<Record<string, readonly [number, number]>> = {
  ptrace: [101, 117],
  mount: [165, 40],
  setns: [308, 268],
  bpf: [321, 280],
  keyctl: [250, 219],
  io_uring_setup: [425, 425],
  perf_event_open: [298, 241],
  process_vm_readv: [310, 270],
  open_by_handle_at: [304, 265],
  chroot: [161, 51],
  userfaultfd: [323, 282],
  syslog: [103, 116],
  clone3: [435, 435],
  personality: [135, 92],
};

function callProbe(call: keyof typeof CALLS, args: string, error: RegExp, arch: string): Probe {
  const number = CALLS[call]?.[arch === "arm64" ? 1 : 0];
  const run = `perl -e '$r = syscall(${number}, ${args}); print $r < 0 ? "error: $!" : "done"'`;
  return { name: `the call ${call}`, run, holds: error };
}

function socketProbe(name: string, family: number): Probe {
  return {
    name: `a socket of ${name}`,
    run: `perl -MSocket -e 'print socket(my $s, ${family}, 1, 0) ? "open" : "error: $!"'`,
    holds: /^error: Address family not supported/,
  };
}

const ABSENT = /^(?:ls|cat): cannot (?:access|open) .*|^cat: .*: No such file or directory/;
const READ_ONLY = /Read-only file system|Permission denied|Operation not permitted/;

function absent(path: string): Probe {
  return { name: `${path} is not there`, run: `ls -d ${path} 2>&1`, holds: ABSENT };
}

function unwritable(path: string): Probe {
  return {
    name: `nothing can be written at ${path}`,
    run: `(echo x > ${path}) 2>&1 && echo written`,
    holds: READ_ONLY,
  };
}

/** All attempts. */
export function probes(place: ProbePlace, arch: string = processorName()): readonly Probe[] {
  const { home, outside, pid, port, socket } = place;
  const eperm = /^error: Operation not permitted/;
  const enosys = /^error: Function not implemented/;
  return [
    {
      name: "who it is",
      run: "id",
      holds: /^uid=10001\(sandbox\) gid=10001\(sandbox\) groups=10001\(sandbox\)$/,
    },
    { name: "home", run: "echo $HOME; pwd", holds: /^\/workspace\n\/workspace$/ },
    ...["/root", "~/.sion", "/home", "/var", "/run", "/sys", "/mnt", "/boot", "/opt", "/srv"].map(
      absent,
    ),
    ...[home, outside, `/proc/${pid}`, "/etc/shadow", "/etc/ssh", "/etc/ssl/private"].map(absent),
    {
      name: "accounts of the machine",
      run: "cut -d: -f1 /etc/passwd | xargs",
      holds: /^root sandbox nobody$/,
    },
    { name: "only its own processes", run: "ls /proc | grep -c '^[0-9]'", holds: /^[1-9]$/ },
    { name: "the runtime's variables", run: "env | grep CANARY; echo looked", holds: /^looked$/ },
    {
      name: "the first process's variables",
      run:
        "tr '\\0' '\\n' < /proc/1/environ | grep -v '^PATH=\\|^PWD=\\|^_=\\|^SHLVL='; echo looked",
      holds: /^looked$/,
    },
    { name: "descriptors of the runtime", run: "ls /proc/self/fd | xargs", holds: /^0 1 2 3$/ },
    {
      name: "descriptors of the first process",
      run: "ls -l /proc/1/fd 2>&1 | grep -c 'canary\\|CANARY'",
      holds: /^0$/,
    },
    { name: "the machine's name", run: "hostname", holds: /^sandbox$/ },
    {
      name: "capabilities",
      run: "grep '^Cap' /proc/self/status | cut -f2 | sort -u | xargs",
      holds: /^0{16}$/,
    },
    { name: "new privileges", run: "grep NoNewPrivs /proc/self/status | cut -f2", holds: /^1$/ },
    { name: "the filter", run: "grep '^Seccomp:' /proc/self/status | cut -f2", holds: /^2$/ },
    ...["/usr/local/x", "/x", "/etc/x", "/etc/passwd", "/dev/x", "/proc/x", "/bin/x", "/output/x"]
      .map((path) => ({
        ...unwritable(path),
        holds:
          /Read-only file system|Permission denied|Operation not permitted|nonexistent|No such file/,
      })),
    {
      name: "settings of the kernel",
      run:
        "cat /proc/sys/kernel/core_pattern > /tmp/p; (cat /tmp/p > /proc/sys/kernel/core_pattern) 2>&1 && echo written",
      holds: READ_ONLY,
    },
    {
      name: "the kernel's emergency keys",
      run: "(echo h > /proc/sysrq-trigger) 2>&1 && wc -c < /proc/sysrq-trigger",
      holds: /^0$|Read-only|denied|No such|nonexistent/,
    },
    { name: "the kernel's memory", run: "(wc -c < /proc/kcore) 2>&1", holds: /^0$|denied|No such/ },
    {
      name: "how the kernel was started",
      run: "(wc -c < /proc/cmdline) 2>&1",
      holds: /^0$|denied/,
    },
    {
      name: "modes of programs",
      run: "chmod 777 /usr/bin/env 2>&1 && echo changed",
      holds: READ_ONLY,
    },
    {
      name: "mounting",
      run: "mount -t tmpfs x /tmp 2>&1 && echo mounted",
      holds: /denied|permitted|must be superuser/,
    },
    {
      name: "mounting anew",
      run: "mount -o remount,rw /usr 2>&1 && echo mounted",
      holds: /denied|permitted|must be superuser/,
    },
    { name: "the workspace can be written", run: "echo w > w.txt && cat w.txt", holds: /^w$/ },
    { name: "its own /tmp can be written", run: "echo t > /tmp/t && cat /tmp/t", holds: /^t$/ },
    {
      name: "the machine's /tmp",
      // What commands before left in their own, which they share.
      run: "ls -A /tmp | grep -v '^cache$\\|^[pt]$' | xargs",
      holds: /^$/,
    },
    {
      name: "a link out of the workspace",
      run: `ln -sfn ${outside} l && cat l 2>&1`,
      holds: ABSENT,
    },
    {
      name: "a hard link out of the workspace",
      run: "ln /usr/bin/env h 2>&1 && echo linked",
      holds: /Invalid cross-device|permitted|Read-only/,
    },
    {
      name: "a device file",
      run: "mknod d b 8 0 2>&1 && echo made",
      holds: /Operation not permitted/,
    },
    {
      name: "devices of the machine",
      run: "ls /dev | grep -E '^(sd|vd|nvme|mem|kvm|fuse|net|mapper|dri)' | xargs",
      holds: /^$/,
    },
    {
      name: "a user namespace",
      run: "unshare -U true 2>&1 && echo made",
      holds: /permitted|No space|not implemented/,
    },
    {
      name: "a sandbox in it",
      run: "bwrap --ro-bind / / true 2>&1 && echo made",
      holds: /bwrap: /,
    },
    callProbe("ptrace", "16, 1, 0, 0", eperm, arch),
    callProbe("mount", "0, 0, 0, 0, 0", eperm, arch),
    callProbe("setns", "0, 0", eperm, arch),
    callProbe("bpf", "0, 0, 0", eperm, arch),
    callProbe("keyctl", "0, -3, 0", eperm, arch),
    callProbe("io_uring_setup", "1, 0", enosys, arch),
    callProbe("clone3", "0, 0", enosys, arch),
    callProbe("perf_event_open", "0, 0, 0, 0, 0", eperm, arch),
    callProbe("process_vm_readv", "1, 0, 0, 0, 0, 0", eperm, arch),
    callProbe("open_by_handle_at", "0, 0, 0", eperm, arch),
    callProbe("chroot", "0", eperm, arch),
    callProbe("userfaultfd", "1", eperm, arch),
    callProbe("syslog", "3, 0, 0", eperm, arch),
    callProbe("personality", "0", eperm, arch),
    socketProbe("the hypervisor (AF_VSOCK)", 40),
    socketProbe("raw packets (AF_PACKET)", 17),
    socketProbe("the kernel's ciphers (AF_ALG)", 38),
    {
      name: "typing into a terminal",
      run: `perl -e '$c = "x"; print ioctl(STDIN, 0x5412, $c) ? "typed" : "error: $!"'`,
      holds: eperm,
    },
    {
      name: "a terminal of its own",
      run: "(echo x > /dev/tty) 2>&1 && echo written",
      holds: /No such device|cannot create/,
    },
    { name: "networks", run: "tail -n +3 /proc/net/dev | cut -d: -f1 | xargs", holds: /^lo$/ },
    {
      name: "the machine's loopback",
      run:
        `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:${port}") ? "open" : "error: $!"'`,
      holds: /^error: Connection refused/,
    },
    {
      name: "an abstract socket of the machine",
      run:
        `perl -MSocket -e 'socket(my $s, 1, 1, 0); print connect($s, pack("S a*", 1, "\\0${socket}")) ? "open" : "error: $!"'`,
      holds: /^error: Connection refused/,
    },
    {
      name: "a cloud's metadata address",
      run:
        `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(PeerAddr => "169.254.169.254:80", Timeout => 2) ? "open" : "error: $!"'`,
      holds: /^error: Network is unreachable/,
    },
    { name: "processor time", run: "ulimit -S -t; ulimit -H -t", holds: /^120\n121$/ },
    {
      name: "raising a limit",
      run: "ulimit -t unlimited 2>&1 && echo raised",
      holds: /not permitted|Operation|error/,
    },
    {
      name: "length of files",
      run: "truncate -s 513M big 2>&1 && echo made; rm -f big",
      holds: /too large|File size/,
    },
    { name: "dumps of memory", run: "ulimit -c", holds: /^0$/ },
    {
      name: "killed first when memory is short",
      run: "cat /proc/self/oom_score_adj",
      holds: /^1000$/,
    },
    {
      name: "sparing itself",
      run: "(echo 0 > /proc/self/oom_score_adj) 2>&1 && cat /proc/self/oom_score_adj",
      holds: /denied|^1000$/,
    },
    {
      name: "size of /tmp",
      run: "df -k /tmp | tail -n 1 | xargs | cut -d' ' -f2",
      holds: /^262144$/,
    },
    {
      name: "size of /dev/shm",
      run: "df -k /dev/shm | tail -n 1 | xargs | cut -d' ' -f2",
      holds: /^65536$/,
    },
    {
      name: "how many processes",
      run:
        `perl -e '$SIG{CHLD} = "IGNORE"; for (1..700) { $p = fork; last unless defined $p; if (!$p) { sleep 110; exit } $n++ } print $n < 512 ? "bounded" : $n'`,
      holds: /^bounded$/,
    },
    {
      name: "signals to the runtime",
      run: `kill -0 ${pid} 2>&1 && echo sent`,
      holds: /No such process/,
    },
  ];
}
