#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories fleet.git and gitops.git in a folder. The branch main of fleet.git
# has a folder of YAML as "fleet", and the branch stage has one file.
#
#   bash make.sh FOLDER FLEET FILE
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
rm -rf "$1"
mkdir -p "$1/tree" "$1/stage"
git init --quiet --bare "$1/gitops.git"
git init --quiet --bare "$1/preview.git"
git init --quiet --bare "$1/fleet.git"

# commit FOLDER BRANCH TREE: commits the tree to the branch of fleet.git.
commit() {
  git --git-dir="$1/fleet.git" symbolic-ref HEAD "refs/heads/$2"
  git --git-dir="$1/fleet.git" --work-tree="$1/$3" add --all
  git --git-dir="$1/fleet.git" --work-tree="$1/$3" commit --quiet --message "Describe the fleet"
}
cp "$3" "$1/stage"
commit "$1" stage stage
cp -R "$2" "$1/tree/fleet"
commit "$1" main tree
