#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example, in a folder: an empty repository for the
# result, and a repository for each workload.
#
#   bash setup.sh [FOLDER]    by default ./repositories
#
# Manifests name these repositories. A manifest may name a repository on this machine only if
# KALYPSO_GIT_URL_PREFIX allows it: run the command that this script prints at the end.
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
workloads=$(cd "$(dirname "$0")" && pwd)/workloads
if [ -e "${1:-repositories}/gitops.git" ]; then
  echo "${1:-repositories} has repositories already. Remove it to start again." >&2
  exit 1
fi
mkdir -p "${1:-repositories}"
repositories=$(cd "${1:-repositories}" && pwd)
git init --quiet --bare "$repositories/gitops.git"
for file in "$workloads"/*.yaml; do
  work=$(mktemp -d)
  cp "$file" "$work/workload.yaml"
  git=$repositories/$(basename "$file" .yaml).git
  git init --quiet --bare "$git"
  git --git-dir="$git" symbolic-ref HEAD refs/heads/main
  git --git-dir="$git" --work-tree="$work" add --all
  git --git-dir="$git" --work-tree="$work" commit --quiet --message "Say what to deploy"
  rm -rf "$work" "$git/index"
done
echo "Made $(cd "$repositories" && echo *.git) in $repositories"
echo "export KALYPSO_GIT_URL_PREFIX=file://$repositories"
