#!/usr/bin/env bash
# Applies environments: each gets the newest release that has worked in the environments before it. Without names,
# it applies those that need no person. TF_VAR_acknowledge has the codes that ci/plan.sh prints, as a list.
# Terraform plans again in an apply. So the apply prints only the titles of the warnings that the plan before it has shown.
#
#   bash ci/apply.sh [ENVIRONMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # a name is a word
[ $# -gt 0 ] || set -- $(bash ci/checked.sh)
plans=$(mktemp -d)
trap 'rm -rf "$plans"' EXIT

failed=0
for environment in "$@"; do # one that fails does not stop the others
  bash ci/backend.sh "$environment" &&
    terraform -chdir="environments/$environment" init -input=false &&
    terraform -chdir="environments/$environment" plan -input=false -out="$plans/$environment" &&
    terraform -chdir="environments/$environment" apply -input=false -compact-warnings "$plans/$environment" || failed=1
done
exit $failed
