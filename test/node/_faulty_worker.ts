/** A thread of validators: with its first Pulse, nothing catches a fault in the work of validator 1. */
import { workerTask } from "#internal/runtime/mod.ts";
import type { FromValidator, Placed, ToValidator } from "../../internal/node/protocol.ts";
import type { Peering } from "../../internal/node/validator.ts";
import { runValidatorTask } from "../../internal/node/validator_task.ts";

const port = await workerTask();
if (port !== undefined) {
  let faulty: number | undefined;
  runValidatorTask({
    ...port,
    post(posted) {
      const { place, message } = posted as Placed<FromValidator>;
      // Whoever posts is the validator: what is begun here is its work.
      if (place === faulty && message.type === "pulse") void Promise.reject(new Error("as asked"));
      port.post(posted);
    },
    onMessage(callback) {
      port.onMessage((received) => {
        const { place, message } = received as Placed<ToValidator>;
        if (message.type === "open" && indexIn(message.data.peering) === 1) faulty = place;
        callback(received);
      });
    },
  });
}

function indexIn(peering: Peering): number | undefined {
  return peering.kind === "run" ? peering.index : undefined;
}
