/** The credentials of this home, with the keyring of whoever runs the command. */
import { closest, SionError } from "#internal/core/mod.ts";
import { displayPath, systemKeyring, systemRandom } from "#internal/runtime/mod.ts";
import type { Credentials } from "#internal/store/mod.ts";
import type { Reader } from "../command.ts";
import type { CommandContext } from "../context.ts";

/** `credential-unknown`: nothing is kept under the name. Data: none. */
export type CredentialCommandErrorCode = "credential-unknown";

/** A credential's name. */
export const credentialName: Reader<string> = { placeholder: "NAME", read: (given) => given };

/** Opens them; the keyring is asked when they are read. */
export async function openCredentialsHere({ home, env }: CommandContext): Promise<Credentials> {
  const { openCredentials } = await import("#internal/store/mod.ts");
  return openCredentials(home, {
    random: systemRandom,
    keyring: await systemKeyring(env),
    shown: (path) => displayPath(path, env),
  });
}

/** What is said of a name under which nothing is kept. */
export function noCredential(name: string, names: readonly string[]): Error {
  const meant = closest(name, names);
  return new SionError<CredentialCommandErrorCode>(
    "credential-unknown",
    `there is no credential ${name} here` + (meant === undefined ? "" : `, did you mean ${meant}`) +
      ": `sion agent credential list` shows yours",
  );
}
