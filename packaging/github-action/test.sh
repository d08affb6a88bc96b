#!/bin/bash
# Runs the action's script as a runner does, then a step after it: test.sh WHEEL
set -euo pipefail
WHEEL=$(realpath "$1")
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WHEEL RUNNER_TOOL_CACHE=$scratch GITHUB_ENV=$scratch/env GITHUB_PATH=$scratch/path GITHUB_OUTPUT=$scratch/output
packaging/github-action/install.sh
grep -q '^icd=/.*/brolga.icd$' "$GITHUB_OUTPUT"
export "$(cat "$GITHUB_ENV")" PATH="$(cat "$GITHUB_PATH"):$PATH"
clinfo -l | grep Brolga
brolga doctor
echo "==> the action's script is right"
