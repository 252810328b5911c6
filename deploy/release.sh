#!/usr/bin/env bash
# A release of this commit in target/release-files: the static binary, its symbols apart, a Debian package, the list of
# what is linked in (SBOM, CycloneDX) and checksums. What was made is tried before the checksums are written.
#
#   deploy/release.sh [--built BINARY]
#
# glibc is linked statically: names are resolved by /etc/hosts and DNS alone. --built packages a binary that was built
# elsewhere, with its symbols. Needs binutils, PostgreSQL, curl, openssl, python3, cargo-deb, cargo-cyclonedx and the
# toolchain's llvm-tools.
set -euo pipefail

cd "$(dirname "$0")/.."
# No release is larger without a reason; 26 MB is the aim.
LARGEST=$((35 * 1000 * 1000))
machine=$(uname -m)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
out=$PWD/target/release-files
name=duet-$version-linux-$machine
target=$machine-unknown-linux-gnu
counts=$PWD/target/training/counts
profdata=$(rustc --print sysroot)/lib/rustlib/$target/bin/llvm-profdata

fail() { echo "release: $*" >&2; exit 1; }
needs() { command -v "$1" >/dev/null || fail "$1 is absent; install it with: $2"; }

# compile FLAGS OPTION…: the workspace's programs that the options name, with glibc linked statically.
compile() {
  local flags=$1
  shift
  RUSTFLAGS="-C target-feature=+crt-static $flags" cargo build --profile dist --locked --target "$target" "$@"
}

# What the training runs is counted by a build of its own; the compiler finds functions by their names, so both builds
# have the same profile.
train() {
  rm -rf "$counts"
  compile "-C profile-generate=$counts" -p duet -p duet-testkit --bin duet --bin throwaway-postgres \
    --target-dir target/training
  local programs=target/training/$target/dist
  deploy/train.sh "$programs/duet"
  "$programs/throwaway-postgres" -- deploy/train.sh "$programs/duet"
  "$profdata" merge -o "$counts/duet.profdata" "$counts"
}

# The same machine code is kept once (`--icf`, by the toolchain's linker): generic functions are most of the binary.
# Relocations are packed, which the C library resolves from 2.36 on; an older one would fail the trial below.
build() {
  train
  compile "-C profile-use=$counts/duet.profdata -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-z,pack-relative-relocs" -p duet
  built=target/$target/dist/duet
}

# The binary for users, and the file that debuggers and `perf` read beside it.
separate() {
  objcopy --only-keep-debug "$built" "$out/$name.debug"
  strip --strip-all -o "$out/$name" "$built"
  (cd "$out" && objcopy --add-gnu-debuglink="$name.debug" "$name")
}

# What cargo-deb finds by the names in crates/duet/Cargo.toml.
package() {
  local files=target/package
  rm -rf "$files"
  mkdir -p "$files/completions"
  install -m 755 "$out/$name" "$files/duet"
  "$files/duet" man "$files/man"
  gzip -9n "$files"/man/*
  "$files/duet" completions bash >"$files/completions/duet"
  "$files/duet" completions zsh >"$files/completions/_duet"
  "$files/duet" completions fish >"$files/completions/duet.fish"
  cargo deb --no-build --no-strip -p duet --output "$out/"
}

inventory() {
  cargo cyclonedx --format json --manifest-path crates/duet/Cargo.toml --override-filename "$name.cdx" >/dev/null
  find crates -name "$name.cdx.json" ! -path 'crates/duet/*' -delete
  mv "crates/duet/$name.cdx.json" "$out/"
}

try() {
  local size root
  size=$(stat -c %s "$out/$name")
  ((size < LARGEST)) || fail "the binary has $size bytes, more than $LARGEST"
  ! readelf --dynamic "$out/$name" | grep -q NEEDED || fail "the binary needs shared libraries"
  root=$(mktemp -d)
  install -m 755 "$out/$name" "$root/duet"
  mkdir "$root/tmp"
  # In a folder without any library it runs where it may be tried so.
  if [[ $(id -u) -eq 0 ]]; then chroot "$root" /duet --version; else "$root/duet" --version; fi
  rm -rf "$root"
  dpkg-deb --contents "$out"/*.deb | awk '{print $6}' | grep -qx ./usr/bin/duet || fail "the package has no /usr/bin/duet"
  python3 -m json.tool "$out/$name.cdx.json" >/dev/null
}

needs objcopy "apt-get install binutils"
needs cargo-deb "cargo install cargo-deb --locked"
needs cargo-cyclonedx "cargo install cargo-cyclonedx --locked"
needs "$profdata" "rustup component add llvm-tools"
built=
if [[ ${1:-} == --built ]]; then built=$(realpath "${2:?the binary}"); fi
rm -rf "$out"
mkdir -p "$out"
[[ -n $built ]] || build
separate
package
inventory
try
(cd "$out" && sha256sum -- * >SHA256SUMS && ls -l)
