#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories gitops.git and fleet.git in a folder. The branch main of fleet has the folder fleet.
#
#   bash setup.sh [FOLDER]    by default ./repositories
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
cd "$(dirname "$0")"
folder=${1:-repositories}
mkdir -p "$folder"
for name in gitops fleet; do
  git init --quiet --bare "$folder/$name.git"
  git --git-dir="$folder/$name.git" symbolic-ref HEAD refs/heads/main
done
git --git-dir="$folder/fleet.git" --work-tree=fleet add --all
git --git-dir="$folder/fleet.git" --work-tree=fleet commit --quiet --message "Describe the fleet"
