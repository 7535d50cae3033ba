# Sourced by the other scripts: finds the repository, installs what the lockfile pins once, and puts
# a Node >= 24 and Deno first on PATH. Needs a POSIX shell, and npm for the first install.
# Everything it prints goes to stderr: a script's stdout belongs to what it runs.
set -eu

root=$(readlink -f "$0")
root=${root%/scripts/*}
stamp=$root/node_modules/.installed-from

fail() {
  echo "error: $1" >&2
  exit 1
}

# A checkout touches the lockfile without changing it, so a newer file is compared by content.
is_installed() {
  [ -f "$stamp" ] || return 1
  [ "$root/package-lock.json" -nt "$stamp" ] || return 0
  [ "$(cksum <"$root/package-lock.json")" = "$(cat "$stamp")" ] && touch "$stamp"
}

run_npm() {
  # Errors only: an old Node that merely runs npm would fill the screen with EBADENGINE warnings.
  # Everything is included, whatever NODE_ENV or the user's own npm settings leave out.
  # What npm says of a failure is many lines; the first that names a cause is told.
  if said=$(cd "$root" && npm ci --ignore-scripts --include=dev --include=optional --no-audit \
    --no-fund --no-progress --no-update-notifier --loglevel=error 2>&1 >/dev/null); then
    [ -z "$said" ] || echo "$said" >&2
  else
    case $said in
      *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ETIMEDOUT* | *ENETUNREACH* | *ECONNRESET*)
        fail "npm cannot reach its registry, and sion's packages are not installed yet: run this once with a network" ;;
    esac
    [ -z "$said" ] || echo "$said" >&2
    fail "cannot install the packages that package-lock.json pins: run 'npm ci --ignore-scripts' in $root to see why"
  fi
  cksum <"$root/package-lock.json" >"$stamp"
}

install() {
  is_installed && return
  # npm would empty the folder that the link leads to, which other checkouts run from.
  [ ! -L "$root/node_modules" ] ||
    fail "the packages in $root/node_modules, a link, are not those of package-lock.json: remove the link to install them here"
  command -v npm >/dev/null || fail "sion needs npm (it comes with Node) to install its packages: install Node 20 or newer"
  # A symbolic link is made at once or not at all, and names its owner: no half-made lock can stay.
  lock=$root/.cache/installing
  mkdir -p "$root/.cache"
  until ln -s $$ "$lock" 2>/dev/null; do
    owner=$(readlink "$lock") || continue
    if kill -0 "$owner" 2>/dev/null; then sleep 1; else rm -f "$lock"; fi
  done
  trap 'rm -f "$lock"' EXIT
  trap 'exit 130' INT TERM HUP
  if ! is_installed; then
    echo "Installing the packages of package-lock.json (once) ..." >&2
    run_npm
  fi
  rm -f "$lock"
  trap - EXIT INT TERM HUP
}

# Prints the folder of the packages' own Node, if this system can run it (they are built for glibc).
bundled_node() {
  case $(uname -sm) in
    "Linux x86_64") arch=x64 loader=/lib64/ld-linux-x86-64.so.2 ;;
    "Linux aarch64" | "Linux arm64") arch=arm64 loader=/lib/ld-linux-aarch64.so.1 ;;
    *) return 1 ;;
  esac
  dir=$root/node_modules/node-linux-$arch/bin
  [ -x "$dir/node" ] && [ -e "$loader" ] && echo "$dir"
}

pick_node() {
  if dir=$(bundled_node); then
    PATH=$dir:$PATH
    return
  fi
  command -v node >/dev/null ||
    fail "sion needs Node 24 or newer on this system, and there is none on PATH: install it"
  version=$(node --version)
  major=${version#v}
  major=${major%%.*}
  case $major in '' | *[!0-9]*) major=0 ;; esac
  [ "$major" -ge 24 ] ||
    fail "sion needs Node 24 or newer on this system, and PATH has $version: install it"
}

# The npm package of Deno holds the program in a package of the platform; its own launcher is a Node
# script, and starting through that costs a Node start each time.
pick_deno() {
  for dir in "$root"/node_modules/@deno/*; do
    [ -x "$dir/deno" ] && PATH=$dir:$PATH && break
  done
  export DENO_DIR="${DENO_DIR:-$root/.cache/deno}" DENO_NO_UPDATE_CHECK=1
}

install
pick_node
pick_deno
export PATH
