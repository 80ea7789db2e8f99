#!/usr/bin/env bash
# Tests the rules in tests, also those about what the changes in fleet do to clusters: compared with the commit of
# main that this folder starts from.
set -euo pipefail
cd "$(dirname "$0")/.."
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
git archive "$(git merge-base origin/main HEAD)" fleet | tar -xf - -C "$base"
terraform test -var "base=$base"
