/**
 * The other end of the proxy, in the sandbox: a port of its loopback that leads to the proxy's socket,
 * by a program that systems have. The command is started once the port listens.
 */

/** Where the proxy's socket is inside. */
export const PROXY_SOCKET = "/run/proxy.sock";
const PORT = 3128;
/** The port as `/proc/net/tcp` writes it, listening. */
const LISTENING = ":0C38 00000000:0000 0A";

const PYTHON = `import socket,threading
def pump(a,b):
    try:
        while True:
            d=a.recv(65536)
            if not d: break
            b.sendall(d)
    except OSError: pass
    for s in (a,b):
        try: s.shutdown(socket.SHUT_RDWR)
        except OSError: pass
l=socket.socket()
l.bind(("127.0.0.1",${PORT}))
l.listen(64)
while True:
    c,_=l.accept()
    u=socket.socket(socket.AF_UNIX)
    try: u.connect("${PROXY_SOCKET}")
    except OSError:
        c.close()
        continue
    for x,y in ((c,u),(u,c)): threading.Thread(target=pump,args=(x,y),daemon=True).start()
`;

/** Tries, in order, the programs that can relay; then the command takes this shell's place. */
const SCRIPT = `relay=$1; shift
if command -v python3 >/dev/null; then python3 -I -c "$relay" </dev/null >/dev/null 2>&1 &
elif command -v socat >/dev/null; then
  socat TCP-LISTEN:${PORT},bind=127.0.0.1,fork UNIX-CONNECT:${PROXY_SOCKET} </dev/null >/dev/null 2>&1 &
else echo "hosts can be reached only where python3 or socat is in the sandbox" >&2; exit 126; fi
tries=0
until grep -q "${LISTENING}" /proc/net/tcp; do
  tries=$((tries + 1)); [ $tries -lt 500 ] || { echo "the proxy does not start" >&2; exit 126; }
  sleep 0.02
done
for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do
  export "$name=http://127.0.0.1:${PORT}"
done
export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
exec "$@"`;

/** A command that finds the proxy where programs look for one. */
export function throughRelay(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", SCRIPT, "sh", PYTHON, ...argv];
}
