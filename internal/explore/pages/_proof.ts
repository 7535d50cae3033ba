/** What stands behind something shown: a certificate, or the node's word. */
import type { Proof } from "#internal/client/mod.ts";
import type { Html } from "../html.ts";
import { markup } from "../html.ts";
import { capital } from "../watch.ts";
import { grouped } from "../words.ts";

/**
 * Whether something is proven, and by whom.
 * @param what it, as a sentence begins: `The receipt`
 * @param root the header's root that it is under.
 */
export function proofLine(what: string, root: "state" | "receipts", proof: Proof): Html {
  if (proof.kind === "proven") {
    const { pulse, certificate: { signed, quorum }, pinned } = proof;
    const of = pinned ? "the pinned chain" : "the chain that the node says is it";
    return markup`<p><span class="good">✓ proven</span> ${what} is under the ${root} root of
<a href="/pulse/${pulse}">Pulse ${pulse}</a> of ${of}, for which stake of ${
      grouped(signed)
    } signed (a
quorum is ${grouped(quorum)}). Verified on this machine.</p>`;
  }
  if (proof.kind === "waits") {
    return markup`<p><span class="warn">not proven yet</span> ${what} is the node's word: Pulse
${proof.certified} is the newest that is certified. Look again in a moment.</p>`;
  }
  return markup`<p><span class="bad">✗ not proven</span> ${capital(proof.reason)}.</p>`;
}
