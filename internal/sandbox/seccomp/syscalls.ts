/**
 * The system calls that the filter is about, with their numbers of both processors (Linux 6.18,
 * `asm/unistd_64.h` and `asm-generic/unistd.h`). -1: not there.
 */

/** Processors that a filter can be made for. */
export type Processor = "x64" | "arm64";

/** `AUDIT_ARCH_*` of `linux/audit.h`: how the kernel names the calling convention. */
export const ARCHITECTURES: Readonly<Record<Processor, number>> = {
  x64: 0xc000_003e,
  arm64: 0xc000_00b7,
};

type Numbers = readonly [x64: number, arm64: number];

/**
 * Refused with EPERM: looking into and steering other processes, keys, the clock, modules, mounts and
 * namespaces, memory policy, and whatever has opened holes in kernels (bpf, userfaultfd, perf).
 */
const REFUSED: Readonly<Record<string, Numbers>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  finit_module: [313, 273],
  get_mempolicy: [239, 236],
  init_module: [175, 105],
  ioperm: [173, -1],
  iopl: [172, -1],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  migrate_pages: [256, 238],
  modify_ldt: [154, -1],
  mount: [165, 40],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, -1],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
};

/**
 * Answered as by a kernel that does not have them, so that libraries take the older way, whose
 * arguments a filter can see (`clone` for `clone3`), or do without (io_uring).
 */
const NOT_THERE: Readonly<Record<string, Numbers>> = {
  clone3: [435, 435],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  memfd_secret: [447, 447],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
};

/** Looked at more closely: their arguments decide. */
const LOOKED_AT = {
  clone: [56, 220],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The numbers of one processor. */
export interface SyscallNumbers {
  readonly refused: readonly number[];
  readonly notThere: readonly number[];
  readonly clone: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
}

/** The calls' numbers on a processor. */
export function syscallNumbers(processor: Processor): SyscallNumbers {
  const of = ([x64, arm64]: Numbers): number => processor === "x64" ? x64 : arm64;
  const all = (table: Readonly<Record<string, Numbers>>): number[] =>
    Object.values(table).map(of).filter((number) => number >= 0);
  return {
    refused: all(REFUSED),
    notThere: all(NOT_THERE),
    clone: of(LOOKED_AT.clone),
    ioctl: of(LOOKED_AT.ioctl),
    socket: of(LOOKED_AT.socket),
    socketpair: of(LOOKED_AT.socketpair),
  };
}
