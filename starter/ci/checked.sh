#!/usr/bin/env bash
# Prints the environments that need no person for an apply: the first one, and each one after a check.
set -euo pipefail
cd "$(dirname "$0")/.."
while read -r environment; do
  grep -qE '^[^#]*checks_required *= *false' environments/"$environment"/*.tf || echo "$environment"
done <environments.txt
