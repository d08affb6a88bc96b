#!/bin/bash
# Installs the wheel in a virtual environment of its own and leads the steps that follow to it. GitHub gives GITHUB_ENV, GITHUB_PATH and GITHUB_OUTPUT.
set -euo pipefail
home=${RUNNER_TOOL_CACHE:-$HOME}/brolga
python3 -m venv "$home"
"$home/bin/pip" install -q --disable-pip-version-check "$WHEEL"
icd=$("$home/bin/python" -m brolga icd-path)
echo "OCL_ICD_VENDORS=$(dirname "$icd")" >>"$GITHUB_ENV"
mkdir -p "$home/command"
ln -sf "$home/bin/brolga" "$home/command/brolga"
echo "$home/command" >>"$GITHUB_PATH"
echo "icd=$icd" >>"$GITHUB_OUTPUT"
