#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Pretends to be 9,000 stores: those of a ring report about the newest commit of their branch.
#
#   bash stores.sh BRANCH [RED]    so many stores report a failure, by default 1
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in {0001..9000}; do printf %s "store-$n" >"$work/store-$n"; done
(cd "$work" && sha256sum store-*) | sh ring.sh | sed -n "s/^$1 //p" >"$work/ring"
commit=$(git --git-dir=gitops.git rev-parse "$1")
awk -v commit="$commit" -v red="${2:-1}" '
  BEGIN { print "[" }
  { printf "%s{\"commit\": \"%s\", \"context\": \"kalypso/prod/store/%s\", \"state\": \"%s\", \"time\": \"2026-03-02T09:00:00Z\"}\n",
    (NR > 1 ? "," : ""), commit, $1, (NR > red ? "success" : "failure") }
  END { print "]" }
' "$work/ring" >"reports/$1.json"
echo "$1: $(wc -l <"$work/ring") stores"
