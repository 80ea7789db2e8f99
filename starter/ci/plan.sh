#!/usr/bin/env bash
# Plans environments with the fleet of this folder, and writes the changes to plan.md as Markdown.
# A plan needs credentials that can read, and no more. Fails if a plan fails.
#
#   bash ci/plan.sh [ENVIRONMENT...]    by default all environments
set -euo pipefail
cd "$(dirname "$0")/../environments"
[ $# -gt 0 ] || set -- *
rm -f ../plan.md
plans=$(mktemp -d)
trap 'rm -rf "$plans"' EXIT

failed=0
for environment in "$@"; do
  export KALYPSO_PLAN_DIR=$plans/$environment
  mkdir "$KALYPSO_PLAN_DIR"
  if ! { terraform -chdir="$environment" init -input=false &&
    terraform -chdir="$environment" plan -input=false -no-color -lock=false -var "preview=$PWD/../fleet"; }; then
    failed=1
    [ -n "$(ls "$KALYPSO_PLAN_DIR")" ] || printf 'The plan of **%s** fails. The log of the job has the errors.\n\n' "$environment" >"$KALYPSO_PLAN_DIR/failed.md"
  fi
done
for file in "$plans"/*/*.md; do
  cat "$file"
  echo # without an empty line, the next heading is no heading
done >../plan.md
exit $failed
