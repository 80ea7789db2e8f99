#!/usr/bin/env bash
# Shows what the commits since main change in the rendered files of each environment. Needs no credentials.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! base=$(git merge-base origin/main HEAD); then
  echo 'This checkout lacks origin/main or its history. Let CI fetch all: fetch-depth: 0, GIT_DEPTH: 0 or fetchDepth: 0.' >&2
  exit 1
fi
# shellcheck disable=SC2013 # a name is a word
for environment in $(cat environments.txt); do
  bash ci/render.sh "$base" "$environment" "rendered/before/$environment" || echo "main cannot be rendered for $environment." >&2
  bash ci/render.sh "$(git rev-parse HEAD)" "$environment" "rendered/after/$environment"
done
git --no-pager diff --no-index rendered/before rendered/after || [ $? = 1 ] # 1: they differ
