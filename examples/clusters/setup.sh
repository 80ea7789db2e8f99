#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example, in a folder: an empty one for the result, and the
# control plane with the folder control-plane and templates of the library.
#
#   bash setup.sh [FOLDER]    by default ./repositories
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
files=$(cd "$(dirname "$0")" && pwd)
if [ -e "${1:-repositories}/control-plane.git" ]; then
  echo "${1:-repositories} has repositories already. Remove it to start again." >&2
  exit 1
fi
mkdir -p "${1:-repositories}"
repositories=$(cd "${1:-repositories}" && pwd)
git init --quiet --bare "$repositories/gitops.git"
git init --quiet --bare "$repositories/control-plane.git"
git --git-dir="$repositories/control-plane.git" symbolic-ref HEAD refs/heads/main
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$files"/control-plane/* "$work"
for template in flux-kustomization namespace platform-config; do
  cp "$files/../templates/$template/template.yaml" "$work/$template.yaml"
done
git --git-dir="$repositories/control-plane.git" --work-tree="$work" add --all
git --git-dir="$repositories/control-plane.git" --work-tree="$work" commit --quiet --message "Describe the shop"
echo "export KALYPSO_GIT_URL_PREFIX=file://$repositories"
