/** A thread of validators: opens those it is given and serves the main thread until they are stopped. */
import type { Logger } from "#internal/core/mod.ts";
import { messageOf } from "#internal/core/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import type { WorkerPort } from "#internal/runtime/mod.ts";
import { runOwned, systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type {
  FromValidator,
  Placed,
  ToValidator,
  ValidatorTaskData,
  ValidatorTaskSize,
} from "./protocol.ts";
import { sendableError } from "./protocol.ts";
import { namedFault } from "./store_failed.ts";
import type { NodePlace } from "./node_key.ts";
import type { OpenValidator } from "./validator.ts";
import { openValidator } from "./validator.ts";

/**
 * Serves the main thread: as many validators as it says, each of which is sent `open` first. A fault that nothing
 * catches ends the validator in whose work it came up; the thread, and its parent hears of it, where that is nobody's.
 */
export function runValidatorTask(port: WorkerPort): void {
  const { validators } = port.data as ValidatorTaskSize;
  const takers = Array.from(
    { length: validators },
    (_, place) => serveValidator((message) => port.post({ place, message })),
  );
  port.onMessage((received) => {
    const { place, message } = received as Placed<ToValidator>;
    takers[place]?.(message);
  });
}

/** One validator of the thread. Answers what takes messages for it. */
function serveValidator(
  post: (message: FromValidator) => void,
): (received: ToValidator) => void {
  const running = new Map<number, AbortController>();
  let opening: Promise<OpenValidator | undefined> | undefined;
  let opened: OpenValidator | undefined;
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

  const fail = (error: unknown): void => {
    if (opened === undefined) tellFault(error, place, post);
    else opened.fail(error);
  };

  const take = async (received: ToValidator): Promise<void> => {
    if (received.type === "open") {
      ({ place } = received.data);
      opening = open(received.data, post);
      return;
    }
    const validator = opened = await opening;
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
  return (received) => runOwned(fail, () => void take(received));
}

function tellFault(
  error: unknown,
  place: NodePlace | undefined,
  post: (message: FromValidator) => void,
): void {
  const named = place === undefined ? error : namedFault(error, place);
  post({ type: "fault", error: sendableError(named) });
}

/** Opens the validator and says so, or what keeps it from opening. */
async function open(
  { genesis, place, fresh, shown, peering }: ValidatorTaskData,
  post: (message: FromValidator) => void,
): Promise<OpenValidator | undefined> {
  const logger: Logger = {
    log: (level, message, fields = {}) => post({ type: "log", level, message, fields }),
  };
  const fault = (error: unknown): void => tellFault(error, place, post);
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
