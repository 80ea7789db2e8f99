#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example, in a folder: an empty repository for the result,
# the repositories of two applications, and the control plane with Kalypso's layout. The branch
# main has the objects that all environments share, and each environment has its own branch.
#
#   bash setup.sh [FOLDER]    by default ./repositories
#
# Manifests name these repositories. A manifest may name a repository on this machine only if
# KALYPSO_GIT_URL_PREFIX allows it: run the command that this script prints at the end.
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
for name in gitops control-plane shop search; do
  git init --quiet --bare "$repositories/$name.git"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# commit REPOSITORY BRANCH SUBJECT FILE...: commits the files, with the URLs of these
# repositories.
commit() {
  local repository=$repositories/$1.git branch=$2 subject=$3 tree=$work/$1/$2 file
  shift 3
  for file in "$@"; do
    mkdir -p "$tree/$(dirname "${file#*/}")"
    sed -E -e "s#https://github.com/contoso/(control-plane|gitops|shop|search)\$#file://$repositories/\1.git#" \
      -e "s#ENVIRONMENT#$branch#" "$file" >"$tree/${file#*/}"
  done
  git --git-dir="$repository" symbolic-ref HEAD "refs/heads/$branch"
  git --git-dir="$repository" --work-tree="$tree" add --all
  git --git-dir="$repository" --work-tree="$tree" commit --quiet --message "$subject"
}

cd "$files/applications"
commit shop main "Describe the shop" shop/workload/*
commit search main "Describe the search" search/workload/*

cd "$files/control-plane"
for environment in dev stage prod; do
  commit control-plane "$environment" "Make the environment $environment" environment/*
  rm "$repositories/control-plane.git/index"
done
commit control-plane main "Declare the environments and the templates" main/.environments/* main/templates/*
commit control-plane main "Add the cluster types store and cloud" main/cluster-types/*
commit control-plane main "Register the applications shop and search" main/registrations/* main/scheduling/*
commit control-plane main "Give the checkout two replicas" main/configs/*
echo "Made $(cd "$repositories" && echo *.git) in $repositories"
echo "export KALYPSO_GIT_URL_PREFIX=file://$repositories"
