#!/usr/bin/env bash
# Prints the environments that need no person for an apply: the first one, and each one after a check.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2013 # a name is a word
for environment in $(cat environments.txt); do
  if ! grep -qE '^[^#]*checks_required *= *false' environments/"$environment"/*.tf &&
    jq --exit-status --arg name "$environment" 'all(.[$name] // {} | .[]; .checks_required != false)' promotion.json >/dev/null; then
    echo "$environment"
  fi
done
