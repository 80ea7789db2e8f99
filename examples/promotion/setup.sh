#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example, in a folder: an empty repository for the result,
# and the control plane with Kalypso's layout. The branch main has the objects that all
# environments share, and each environment has its own branch.
#
#   bash setup.sh [FOLDER]    by default ./repositories
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
files=$(cd "$(dirname "$0")" && pwd)/control-plane
if [ -e "${1:-repositories}/control-plane.git" ]; then
  echo "${1:-repositories} has repositories already. Remove it to start again." >&2
  exit 1
fi
mkdir -p "${1:-repositories}"
repositories=$(cd "${1:-repositories}" && pwd)
git init --quiet --bare "$repositories/gitops.git"
git init --quiet --bare "$repositories/control-plane.git"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# commit BRANCH SUBJECT FILE...: commits the files, with the URLs of these repositories.
commit() {
  local branch=$1 subject=$2 file
  shift 2
  for file in "$@"; do
    mkdir -p "$work/$branch/$(dirname "${file#*/}")"
    sed -E -e "s#https://github.com/contoso/(control-plane|gitops)\$#file://$repositories/\1.git#" \
      -e "s#ENVIRONMENT#$branch#" "$files/$file" >"$work/$branch/${file#*/}"
  done
  git --git-dir="$repositories/control-plane.git" symbolic-ref HEAD "refs/heads/$branch"
  git --git-dir="$repositories/control-plane.git" --work-tree="$work/$branch" add --all
  git --git-dir="$repositories/control-plane.git" --work-tree="$work/$branch" commit --quiet --message "$subject"
}

cd "$files"
for environment in dev stage prod; do
  commit "$environment" "Make the environment $environment" environment/*
  rm "$repositories/control-plane.git/index"
done
commit main "Declare the environments and the templates" main/.environments/* main/templates/*
commit main "Add the cluster types store and cloud" main/cluster-types/*
commit main "Run the checkout of the shop everywhere" main/workloads/* main/scheduling/*
commit main "Give the checkout two replicas" main/configs/*
echo "Made $(cd "$repositories" && echo *.git) in $repositories"
