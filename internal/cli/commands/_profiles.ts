/** The profiles of this home and their tokens, and how they are shown. */
import { closest, SionError } from "#internal/core/mod.ts";
import { displayPath, systemRandom } from "#internal/runtime/mod.ts";
import type { Profile, Profiles, ProfileToken, ProfileTokens } from "#internal/store/mod.ts";
import { flagName } from "../command.ts";
import type { CommandContext } from "../context.ts";

type Home = Pick<CommandContext, "home" | "env">;

/** Opens the profiles. An unknown name is answered with the nearest one. */
export async function openProfilesHere({ home, env }: Home): Promise<Profiles> {
  const { openProfiles } = await import("#internal/store/mod.ts");
  const profiles = openProfiles(home, (path) => displayPath(path, env));
  const suggesting = <T>(name: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw withSuggestion(error, name);
    });
  return {
    ...profiles,
    get: (name) => suggesting(name, profiles.get(name)),
    change: (name, change) => suggesting(name, profiles.change(name, change)),
  };
}

/** Opens their tokens. */
export async function openTokensHere({ home, env }: Home): Promise<ProfileTokens> {
  const { openProfileTokens } = await import("#internal/store/mod.ts");
  return openProfileTokens(home, {
    random: systemRandom,
    shown: (path) => displayPath(path, env),
  });
}

function withSuggestion(error: unknown, name: string): unknown {
  if (!(error instanceof SionError) || error.code !== "profile-unknown") return error;
  const meant = closest(name, error.data["names"] as readonly string[]);
  if (meant === undefined) return error;
  return new SionError(
    "profile-unknown",
    `there is no profile ${name} here, did you mean ${meant}: ` +
      "`sion agent profile list` shows yours",
    { cause: error, data: error.data },
  );
}

/** A profile's options as they are typed, one a line. */
export function optionLines({ options }: Profile): readonly string[] {
  return Object.entries(options).toSorted(([a], [b]) => a < b ? -1 : 1)
    .flatMap(([name, value]) => {
      if (value === true) return [flagName(name)];
      return [value].flat().map((one) => `${flagName(name)} ${one}`);
    });
}

/** What the holder of a token may do, in a word or two. */
export function rightsOf({ approve }: ProfileToken): string {
  return approve ? "messages, approvals" : "messages";
}
