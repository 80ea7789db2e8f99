#!/usr/bin/env bash
# Fails if somebody changed the branch of an environment by hand.
#
#   bash ci/drift.sh [ENVIRONMENT...]    by default all environments
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # a name is a word
[ $# -gt 0 ] || set -- $(cat environments.txt)
plans=$(mktemp -d)
trap 'rm -rf "$plans"' EXIT

failed=0
for environment in "$@"; do
  bash ci/backend.sh "$environment"
  terraform -chdir="environments/$environment" init -input=false
  terraform -chdir="environments/$environment" plan -input=false -lock=false -refresh-only -out="$plans/$environment"
  terraform -chdir="environments/$environment" show -json "$plans/$environment" >"$plans/$environment.json"
  if jq --exit-status '[.resource_drift[]? | select(.change.after.status == "drifted")] != []' "$plans/$environment.json" >/dev/null; then
    echo "Somebody changed the branch of $environment. An apply repairs the branch, or keeps a rollback by git revert." >&2
    failed=1
  fi
done
exit $failed
