#!/bin/sh
# Installs what is missing to build and test packages, by apt.
set -eu
missing=
command -v dh >/dev/null || missing="$missing debhelper"
command -v lintian >/dev/null || missing="$missing lintian"
command -v debootstrap >/dev/null || missing="$missing debootstrap"
command -v unzip >/dev/null || missing="$missing unzip"
command -v xz >/dev/null || missing="$missing xz-utils"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
[ -n "$missing" ] || exit 0
echo "==> apt-get install$missing"
root=; [ "$(id -u)" = 0 ] || root=sudo
$root apt-get update -qq
# shellcheck disable=SC2086 # they are words
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
