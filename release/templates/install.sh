#!/bin/sh
# Installs cruxe @VERSION@ for the user who runs it. Made by scripts/release.
#
#   sh install.sh                 into ~/.local/bin
#   CRUXE_BIN=~/bin sh install.sh elsewhere
#
# Nothing needs root. The archive has to have the checksum that stands in this script.
set -eu

version=@VERSION@
downloads=${CRUXE_DOWNLOADS:-@DOWNLOADS@}
bin=${CRUXE_BIN:-$HOME/.local/bin}

fail() { printf 'install: %s\n' "$1" >&2; exit 1; }

checksum_of() {
  case $1 in
@SUMS@
    *) return 1 ;;
  esac
}

platform() {
  case $(uname -m) in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail "there is no build for $(uname -m)" ;;
  esac
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) fail "there is no build for $(uname -s); on Windows run install.ps1" ;;
  esac
  # The loader of musl has its name in /lib; systems with glibc have none there.
  if [ "$system" = linux ] && [ -n "$(find /lib -maxdepth 1 -name 'ld-musl-*' 2>/dev/null)" ]; then system=linux-musl; fi
  echo "$processor-$system"
}

fetch() {
  if command -v curl >/dev/null 2>&1; then curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then wget --quiet --output-document="$2" "$1"
  else fail "neither curl nor wget is here"; fi
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

platform=$(platform)
wanted=$(checksum_of "$platform") || fail "release $version has no build for $platform"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
name=cruxe-$version-$platform
fetch "$downloads/$name.tar.gz" "$folder/archive.tar.gz" || fail "$downloads/$name.tar.gz cannot be fetched"
found=$(sha256 "$folder/archive.tar.gz")
[ "$found" = "$wanted" ] || fail "the checksum is $found, it should be $wanted; nothing was installed"
tar -xzf "$folder/archive.tar.gz" -C "$folder"
mkdir -p "$bin"
# A program that runs cannot be written over; moving a new file into its place works.
for program in cruxe codecompass cue; do
  cp "$folder/$name/$program" "$bin/.$program.new"
  chmod 755 "$bin/.$program.new"
  mv -f "$bin/.$program.new" "$bin/$program"
done
"$bin/cruxe" --version >/dev/null || fail "$bin/cruxe does not run here"
echo "installed cruxe $version into $bin (cruxe, codecompass, cue)"
case :$PATH: in
  *:"$bin":*) ;;
  *) echo "put it onto your PATH: export PATH=\"$bin:\$PATH\"" ;;
esac
echo "next: cruxe install    (makes the agents on this machine use it)"
