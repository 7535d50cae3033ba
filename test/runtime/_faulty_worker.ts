/** A worker of two owners, each of whom does what it is asked to, up to a fault, and says which faults it is told. */
import {
  connectFrames,
  createAlarm,
  listenFrames,
  runOwned,
  workerTask,
} from "#internal/runtime/mod.ts";

const SOCKET = { host: "127.0.0.1", port: 0, maxFrameBytes: 16 };

const ways: Readonly<Record<string, (fail: () => never) => unknown>> = {
  "at once": (fail) => fail(),
  "in a promise": async (fail) => {
    await Promise.resolve();
    fail();
  },
  "in a microtask": (fail) => queueMicrotask(fail),
  "in an alarm": (fail) => createAlarm(fail).set(0),
  "in an accepted connection": (fail) => listen(fail, () => {}),
  "in a frame that comes in": (fail) => listen(() => {}, fail),
  "in an answer": (fail) => listen((socket) => socket.send(new Uint8Array(1)), () => {}, fail),
};

async function listen(
  onConnection: (socket: { send(frame: Uint8Array): boolean }) => void,
  onFrame: () => void,
  onAnswer: () => void = () => {},
): Promise<void> {
  const { port } = await listenFrames(SOCKET, (socket) => {
    socket.onFrame(onFrame);
    onConnection(socket);
  });
  const socket = await connectFrames({ ...SOCKET, port });
  socket.onFrame(onAnswer);
  socket.send(new Uint8Array(1));
}

const port = await workerTask();
port?.onMessage((asked) => {
  const { owner, way } = asked as { owner: string | null; way: string };
  const fail = (): never => {
    throw new Error(`${owner} ${way}`);
  };
  const work = (): void => void ways[way]?.(fail);
  if (owner === null) return work();
  runOwned((error) => port.post({ told: owner, of: (error as Error).message }), work);
});
