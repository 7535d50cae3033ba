import { anthropicHeaders } from "#internal/agent/mod.ts";
import { openCredentials } from "#internal/store/mod.ts";
import { systemKeyring, webRequest } from "#internal/runtime/mod.ts";
import type { Check, DoctorMachine } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

/** How long a vendor may take, ms: the whole of `sion doctor` takes five seconds at most. */
const LIMIT_MS = 3_500;
const MOST_BYTES = 1 << 20;

interface Vendor {
  readonly key: string;
  readonly base: string;
  readonly url: string;
  headers(key: string): Readonly<Record<string, string>>;
}

/** Asking for the list of models costs nothing, and needs a key that is accepted. */
const VENDORS: readonly Vendor[] = [
  {
    key: "ANTHROPIC_API_KEY",
    base: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com/v1/models?limit=1",
    headers: anthropicHeaders,
  },
  {
    key: "OPENAI_API_KEY",
    base: "OPENAI_BASE_URL",
    url: "https://api.openai.com/v1/models",
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
];

/** Keys of models are there; with the network, also that they are accepted. */
export const models: Check = {
  name: "models",
  ofAgents: true,
  async run(machine) {
    const found = await keysOf(machine);
    if (found.length === 0) {
      return look(
        "no key of a model is kept, so only scripts answer",
        "`sion agent credential add ANTHROPIC_API_KEY` or OPENAI_API_KEY, or OPENAI_BASE_URL of " +
          "a model on this machine",
      );
    }
    const names = found.map(({ vendor }) => vendor.key).join(" and ");
    const are = found.length === 1 ? "is" : "are";
    if (machine.offline) return fine(`${names} ${are} there, not tried`);
    const answers = await Promise.all(found.map((one) => ask(one, machine.signal)));
    const refused = answers.find(({ status }) => status === 401 || status === 403);
    if (refused !== undefined) {
      return failed(
        `${refused.at} refuses ${refused.key} (${refused.status})`,
        `\`sion agent credential add ${refused.key}\` with a new one`,
      );
    }
    const silent = answers.find(({ status }) => status === 0);
    if (silent !== undefined) {
      return look(`${silent.at} does not answer`, "see the network, or give --offline");
    }
    return fine(`${names} ${are} accepted`);
  },
};

interface FoundKey {
  readonly vendor: Vendor;
  readonly key: string;
  readonly url: URL;
}

async function keysOf({ home, env, random, shown }: DoctorMachine): Promise<readonly FoundKey[]> {
  const keyring = await systemKeyring(env);
  // What cannot be opened is said by the check of the credentials.
  const kept = await openCredentials(home, { random, keyring, shown }).all().catch(() => []);
  return VENDORS.flatMap((vendor): FoundKey[] => {
    const given = env[vendor.key] || kept.find(({ name }) => name === vendor.key)?.value;
    const key = given?.trim() ?? "";
    const base = (env[vendor.base] ?? "").trim();
    if (key === "" && base === "") return [];
    const url = modelsAt(base) ?? new URL(vendor.url);
    return [{ vendor, key: key === "" ? "none" : key, url }];
  });
}

function modelsAt(base: string): URL | undefined {
  if (!URL.canParse(base)) return undefined;
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = `${path.endsWith("/v1") ? path : `${path}/v1`}/models`;
  return url;
}

async function ask(
  { vendor, key, url }: FoundKey,
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly at: string; readonly status: number }> {
  const of = { key: vendor.key, at: url.host };
  try {
    const { status } = await webRequest({
      url,
      method: "GET",
      headers: vendor.headers(key),
      // Who set the address means it: a model of this machine or of the office.
      reach: { loopback: true, private: true },
      timeoutMs: LIMIT_MS,
      maxBytes: MOST_BYTES,
      signal,
    });
    return { ...of, status };
  } catch {
    signal.throwIfAborted();
    return { ...of, status: 0 };
  }
}
