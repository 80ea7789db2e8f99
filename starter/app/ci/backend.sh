#!/usr/bin/env bash
# Fails in CI if a root module has no backend: its state would be lost after the job.
#
#   bash ci/backend.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${CI:-}${TF_BUILD:-}" ] && ! grep -qE '^ *(backend ".*"|cloud) *\{' "$1"/*.tf; then
  echo "$1 has no backend, so this job cannot know what the last apply wrote. Add a backend or a cloud block." >&2
  exit 1
fi
