#!/usr/bin/env bash
# Applies environments: each gets the newest release that has worked in the environments before it.
#
#   bash ci/apply.sh ENVIRONMENT...
set -euo pipefail
cd "$(dirname "$0")/../environments"
for environment in "$@"; do
  bash ../ci/backend.sh "$environment"
  terraform -chdir="$environment" init -input=false
  terraform -chdir="$environment" apply -input=false -auto-approve
done
