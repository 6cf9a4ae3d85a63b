#!/usr/bin/env bash
# Downloads NVIDIA's own driver library, as Debian packages it, and unpacks it into a folder without installing it:
#
#   .ci/libcuda.sh FOLDER
#
# Prints the path of libcuda.so.1. Nothing of the machine's package state is read or written but its list of mirrors:
# the package is in Debian's non-free section, which most machines do not list, so apt gets a source list, index and
# cache of its own inside FOLDER.
set -euo pipefail

package=libcuda1
fail() { echo "libcuda.sh: $*" >&2; exit 1; }

[ $# -eq 1 ] || fail "needs one argument, the folder to unpack $package into"
mkdir -p "$1"
folder=$(cd "$1" && pwd)

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || fail "$tool is not on this machine; $package can be had only where Debian's apt is"
done
id=$(. /etc/os-release && echo "${ID:-}")
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ "$id" = debian ] && [ -n "$release" ] || fail "this machine runs '${id:-an unknown system}', not a release of Debian, whose package this is"

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keyring" ] || fail "$keyring is missing; without it the package cannot be verified (package debian-archive-keyring)"

# Whichever mirror this machine takes the same release from.
mirror=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(COMPONENT) $(SITE)' |
  awk -v release="$release" '$1 == release && $2 == "main" && !found { print $3; found = 1 }') ||
  fail "apt cannot tell its sources"
[ -n "$mirror" ] || fail "the apt sources of this machine name no mirror of $release main"

state=$folder/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/parts"
echo "deb [signed-by=$keyring] $mirror $release non-free" >"$state/sources.list"
options=(
  -o "Dir::Etc::SourceList=$state/sources.list"
  -o "Dir::Etc::SourceParts=$state/parts"
  -o "Dir::State::Lists=$state/lists"
  -o "Dir::Cache=$state/cache"
  # The user that apt downloads as cannot write to this folder.
  -o "APT::Sandbox::User=$(id -un)"
  -o Acquire::Retries=2
  -qq
)
log=$state/log
run() { "$@" >>"$log" 2>&1 || { tail -5 "$log" >&2; return 1; }; }
# Without Error-Mode apt-get update calls a mirror that does not answer a success.
run apt-get "${options[@]}" -o APT::Update::Error-Mode=any update || fail "the index of $release non-free cannot be had"
cd "$folder"
run apt-get "${options[@]}" download "$package" || fail "$package of $release non-free cannot be had"
run dpkg-deb -x "$package"_*.deb "$folder/unpacked" || fail "$package cannot be unpacked"

library=$(find "$folder/unpacked" -name libcuda.so.1 -print -quit)
[ -n "$library" ] && [ -e "$library" ] || fail "$package holds no libcuda.so.1"
echo "$library"
