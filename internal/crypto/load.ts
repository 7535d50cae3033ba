/** Chooses and loads an implementation of the dual signature. */
import { SionError, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "./dual.ts";
import { combineHalves, SEED_BYTES } from "./dual.ts";
import type { HalfScheme } from "./half.ts";
import { SLH_DSA_128F } from "./half.ts";
import { sha256 } from "./hash.ts";

/**
 * An implementation to ask for: `simd` is the project's own SLH-DSA kernel with the best ML-DSA,
 * `native` is the runtime's own for both, `liboqs` and `noble` are those libraries for both,
 * `insecure` is forgeable and for simulations only.
 */
export type BackendName = "simd" | "native" | "liboqs" | "noble" | "insecure";

/** `backend-unavailable`: a named backend does not work in this runtime; `data.backend` names it. */
export type CryptoErrorCode = "backend-unavailable";

/** SHA-256 of the dual public key of 32 zero bytes, which noble, OpenSSL and liboqs all derive. */
const SELF_TEST_KEY = "25f0fcfec26ec428b8a88a1981b133979cb6f2079a078717c7a7860c4d20ad6c";

/** Backends loaded in this thread: the kernel is compiled and the keys are cached once. */
const loaded = new Map<BackendName | "best", Promise<DualBackend>>();

/**
 * The backend of that name, or the fastest that works here when no name is given. Every one but
 * the insecure passes a self-test first (key derivation, one signature, one refusal of ML-DSA).
 * Loaded once a thread; what is heavy is imported only when chosen.
 * @throws {SionError} `backend-unavailable` when a named one does not work in this runtime.
 */
export function loadDualBackend(name?: BackendName): Promise<DualBackend> {
  const key = name ?? "best";
  let backend = loaded.get(key);
  if (backend === undefined) {
    backend = name === undefined ? bestBackend() : namedBackend(name);
    loaded.set(key, backend);
  }
  return backend;
}

/** Order of preference: measured in docs/decisions/0002-signature-backends.md. */
const PREFERENCE = ["simd", "native", "liboqs", "noble"] as const;

async function bestBackend(): Promise<DualBackend> {
  let cause: unknown;
  for (const name of PREFERENCE) {
    try {
      return await loadDualBackend(name);
    } catch (error) {
      cause = error;
    }
  }
  throw new SionError<CryptoErrorCode>(
    "backend-unavailable",
    "Cannot load signatures: no backend passes its self-test in this runtime",
    { cause },
  );
}

async function namedBackend(name: BackendName): Promise<DualBackend> {
  try {
    const backend = await LOADERS[name]();
    if (name !== "insecure") await selfTest(backend);
    return backend;
  } catch (cause) {
    throw new SionError<CryptoErrorCode>(
      "backend-unavailable",
      `Cannot load signature backend ${name}: it does not work in this runtime`,
      { cause, data: { backend: name } },
    );
  }
}

const LOADERS: { readonly [N in BackendName]: () => Promise<DualBackend> } = {
  async simd() {
    const { simdSlhDsa } = await import("./simd.ts");
    return combineHalves(simdSlhDsa(), await bestMlDsa());
  },
  async native() {
    const { nodeSlhDsa } = await import("./node_native.ts");
    const slh = nodeSlhDsa(await slhRoots());
    const mldsa = await nativeMlDsa();
    if (slh === undefined || mldsa === undefined) {
      throw new TypeError("Cannot use native signatures: the runtime does not have both schemes");
    }
    return combineHalves(slh, mldsa);
  },
  async liboqs() {
    const { liboqsMlDsa, liboqsSlhDsa } = await import("./liboqs.ts");
    return combineHalves(await liboqsSlhDsa(), await liboqsMlDsa());
  },
  async noble() {
    const { nobleMlDsa, nobleSlhDsa } = await import("./noble.ts");
    return combineHalves(nobleSlhDsa, nobleMlDsa);
  },
  async insecure() {
    const { insecureBackend } = await import("./insecure.ts");
    return insecureBackend();
  },
};

/** The runtime's own ML-DSA: `node:crypto` first, since Node's Web Crypto prints a warning. */
async function nativeMlDsa(): Promise<HalfScheme | undefined> {
  const { nodeMlDsa } = await import("./node_native.ts");
  const fromNode = nodeMlDsa();
  if (fromNode !== undefined) return fromNode;
  const { webMlDsa } = await import("./web_native.ts");
  return await webMlDsa();
}

async function bestMlDsa(): Promise<HalfScheme> {
  const native = await nativeMlDsa();
  if (native !== undefined) return native;
  try {
    const { liboqsMlDsa } = await import("./liboqs.ts");
    return await liboqsMlDsa();
  } catch {
    const { nobleMlDsa } = await import("./noble.ts");
    return nobleMlDsa;
  }
}

/** PK.root of an SLH-DSA seed, for OpenSSL, which imports whole private keys only. */
async function slhRoots(): Promise<(seed: Uint8Array) => Uint8Array> {
  const { nobleSlhDsa } = await import("./noble.ts");
  return (seed) => {
    const key = nobleSlhDsa.keyFromSeed(seed);
    if (key instanceof Promise) throw new TypeError("Cannot derive PK.root: it is not immediate");
    return key.publicKey.subarray(SLH_DSA_128F.publicKeyBytes / 2);
  };
}

/**
 * Deriving a key runs every part of the SLH-DSA hash machinery (PRF, F, H, T) and all of ML-DSA's
 * arithmetic in a few milliseconds, so a broken kernel or runtime shows itself at once.
 */
async function selfTest(backend: DualBackend): Promise<void> {
  const keys = await backend.keysFromSeed(new Uint8Array(SEED_BYTES));
  const digest = toHex(sha256(keys.publicKey));
  if (digest !== SELF_TEST_KEY) {
    throw new TypeError(`Cannot trust signature backend ${backend.name}: its self-test fails`);
  }
}
