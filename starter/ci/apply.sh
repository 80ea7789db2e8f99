#!/usr/bin/env bash
# Applies environments: each gets the newest release that has worked in the environments before it.
#
#   bash ci/apply.sh ENVIRONMENT...
set -euo pipefail
cd "$(dirname "$0")/../environments"
for environment in "$@"; do
  if [ -n "${CI:-}${TF_BUILD:-}" ] && ! grep -qE '^ *(backend ".*"|cloud) *\{' "$environment"/*.tf; then
    echo "environments/$environment has no backend, so this job cannot know what the last apply wrote. Add a backend or a cloud block." >&2
    exit 1
  fi
  terraform -chdir="$environment" init -input=false
  terraform -chdir="$environment" apply -input=false -auto-approve
done
