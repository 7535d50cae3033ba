/** A validator's thread: opens the validator it is given and serves the main thread until stopped. */
import type { Logger } from "#internal/core/mod.ts";
import { messageOf } from "#internal/core/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import type { WorkerPort } from "#internal/runtime/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { FromValidator, ToValidator, ValidatorTaskData } from "./protocol.ts";
import { sendableError } from "./protocol.ts";
import { namedFault } from "./store_failed.ts";
import type { NodePlace } from "./node_key.ts";
import type { OpenValidator } from "./validator.ts";
import { openValidator } from "./validator.ts";

/** Serves the main thread, which sends `open` first. */
export function runValidatorTask(port: WorkerPort): void {
  const post = (message: FromValidator): void => port.post(message);
  const running = new Map<number, AbortController>();
  let opening: Promise<OpenValidator | undefined> | undefined;
  let place: NodePlace | undefined;

  const answer = async (
    validator: OpenValidator,
    { id, method, params }: Extract<ToValidator, { type: "call" }>,
  ): Promise<void> => {
    const abort = new AbortController();
    running.set(id, abort);
    try {
      // Parameters were read by the method's shape before they came here.
      const call = validator.calls[method] as RpcCalls["account"];
      const value = await call(params as never, { signal: abort.signal });
      post({ type: "result", id, value });
    } catch (error) {
      post({ type: "error", id, error: sendableError(error) });
    } finally {
      running.delete(id);
    }
  };

  const take = async (received: ToValidator): Promise<void> => {
    if (received.type === "open") {
      ({ place } = received.data);
      opening = open(received.data, post);
      return;
    }
    const validator = await opening;
    if (received.type === "stop") return await stop(validator, place, post);
    if (validator === undefined) return;
    switch (received.type) {
      case "start":
        return validator.start(received.peers);
      case "call":
        return await answer(validator, received);
      case "cancel":
        return running.get(received.id)?.abort();
    }
  };
  // What is not caught ends the thread, and its parent hears of it.
  port.onMessage((message) => void take(message as ToValidator));
}

/** Opens the validator and says so, or what keeps it from opening. */
async function open(
  { genesis, place, fresh, shown, peering }: ValidatorTaskData,
  post: (message: FromValidator) => void,
): Promise<OpenValidator | undefined> {
  const logger: Logger = {
    log: (level, message, fields = {}) => post({ type: "log", level, message, fields }),
  };
  const fault = (error: unknown): void =>
    post({ type: "fault", error: sendableError(namedFault(error, place)) });
  try {
    const validator = await openValidator({
      genesis,
      place,
      fresh,
      shown,
      peering,
      clock: systemClock,
      random: systemRandom,
      logger,
      onPulse: (number) => post({ type: "pulse", number }),
      onFault: fault,
    });
    const { chain, port, self } = validator;
    post({ type: "open", chain, port, validator: self });
    return validator;
  } catch (error) {
    fault(error);
    return undefined;
  }
}

async function stop(
  validator: OpenValidator | undefined,
  place: NodePlace | undefined,
  post: (message: FromValidator) => void,
): Promise<void> {
  try {
    await validator?.[Symbol.asyncDispose]();
  } catch (error) {
    const named = place === undefined ? error : namedFault(error, place);
    post({ type: "log", level: "error", message: messageOf(named), fields: {} });
  }
  post({ type: "stopped" });
}
