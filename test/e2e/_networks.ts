/**
 * Machines of a network, each a network namespace with an address of its own on one switch, which
 * the test reaches too. A machine can be cut off and joined again.
 */
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import process from "node:process";
import { partPath } from "../parts.ts";

/** Addresses for tests of networks (RFC 2544). */
const NETWORK = "198.18";

/** A network of machines. Disposing of it takes all of it away; nothing must run in it then. */
export interface Lab extends Disposable {
  /** Address of a machine. */
  hostOf(machine: number): string;
  /** The command that runs another in a machine, as the same process. */
  inside(machine: number, command: readonly [string, ...string[]]): [string, ...string[]];
  /** Gives a machine one more address, of its own alone. */
  giveAddress(machine: number, address: string): void;
  /** Nothing comes from or goes to the machine. */
  cut(machine: number): void;
  join(machine: number): void;
}

/**
 * Makes a network of so many machines.
 * @throws {Error} with one sentence when this system cannot.
 */
export function createLab(machines: number): Lab {
  const program = partPath("iproute");
  const id = `sion${process.pid}x${randomInt(1_000)}`;
  const subnet = `${NETWORK}.${randomInt(256)}`;
  const ip = (line: string): void => {
    execFileSync(program, line.split(" "), { stdio: ["ignore", "ignore", "pipe"] });
  };
  const hub = `${id}-hub`;
  const nameOf = (machine: number): string => `${id}-${machine}`;
  // Names of devices have 15 characters at most; this one is seen by the whole system.
  const outside = `sion${process.pid % 100_000}${randomInt(1_000)}`;
  const made: string[] = [];
  const lab: Lab = {
    hostOf: (machine) => `${subnet}.${machine + 1}`,
    inside: (machine, command) => [program, "netns", "exec", nameOf(machine), ...command],
    giveAddress: (machine, address) => ip(`-n ${nameOf(machine)} address add ${address}/32 dev lo`),
    cut: (machine) => ip(`-n ${hub} link set port${machine} down`),
    join: (machine) => ip(`-n ${hub} link set port${machine} up`),
    [Symbol.dispose]() {
      for (const name of made.splice(0)) ip(`netns delete ${name}`);
    },
  };
  const addNamespace = (name: string): void => {
    ip(`netns add ${name}`);
    made.push(name);
    ip(`-n ${name} link set lo up`);
  };
  try {
    addNamespace(hub);
    ip(`-n ${hub} link add switch type bridge`);
    ip(`-n ${hub} link set switch up`);
    for (let machine = 0; machine < machines; machine++) {
      const name = nameOf(machine);
      addNamespace(name);
      ip(`-n ${hub} link add port${machine} type veth peer name net netns ${name}`);
      ip(`-n ${hub} link set port${machine} master switch up`);
      ip(`-n ${name} address add ${lab.hostOf(machine)}/24 dev net`);
      ip(`-n ${name} link set net up`);
    }
    ip(`link add ${outside} type veth peer name outside netns ${hub}`);
    ip(`-n ${hub} link set outside master switch up`);
    ip(`address add ${subnet}.254/24 dev ${outside}`);
    ip(`link set ${outside} up`);
    return lab;
  } catch (error) {
    lab[Symbol.dispose]();
    const { stderr } = error as { readonly stderr?: Uint8Array };
    const why = stderr === undefined ? String(error) : new TextDecoder().decode(stderr).trim();
    throw new Error(
      `This system cannot make network namespaces (${why}): run the tests as root, on a kernel ` +
        "that has them",
      { cause: error },
    );
  }
}
