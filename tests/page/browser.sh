# What tests in a browser need, for scripts that source it with `root` set: Chromium (apt) and playwright-core (npm, in `tools`),
# both installed when they are missing, and `binary`, which MILLPOND may name.
tools="$HOME/.cache/millpond/page_browser"

command -v chromium > /dev/null || { apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core; } > /dev/null
mkdir -p "$tools"
[[ -d $tools/node_modules/playwright-core ]] || (cd "$tools" && npm install --silent --no-fund --no-audit playwright-core@1.64)

binary="${MILLPOND:-${CARGO_TARGET_DIR:-$root/target}/debug/millpond}"
[[ -x $binary ]] || (cd "$root" && cargo build --quiet -p millpond)
