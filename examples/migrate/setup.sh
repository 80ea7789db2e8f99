#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of a team that runs Kalypso, in a folder: the control plane
# (branches main and dev), two applications, and the GitOps repository as Kalypso's scheduler
# has written it.
#
#   bash setup.sh [FOLDER]    by default ./repositories
#
# Manifests name these repositories. A manifest may name a repository on this machine only if
# KALYPSO_GIT_URL_PREFIX allows it: run the command that this script prints at the end.
set -euo pipefail
export GIT_AUTHOR_NAME=Kalypso GIT_AUTHOR_EMAIL=kalypso@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
kalypso=$(cd "$(dirname "$0")" && pwd)/kalypso
if [ -e "${1:-repositories}/gitops.git" ]; then
  echo "${1:-repositories} has repositories already. Remove it to start again." >&2
  exit 1
fi
mkdir -p "${1:-repositories}"
repositories=$(cd "${1:-repositories}" && pwd)

# commit FOLDER REPOSITORY BRANCH: writes the folder as the first commit of a branch, with
# the URLs of the bare repositories.
commit() {
  local git=$repositories/$2.git work
  work=$(mktemp -d)
  cp -R "$kalypso/$1/." "$work"
  find "$work" -name '*.yaml' | while read -r file; do
    sed -E -e "s#https://github.com/contoso/(control-plane|shop|telemetry|gitops)\$#file://$repositories/\1.git#" \
      -e "s#PROMOTED_COMMIT#${promoted:-}#" "$file" >"$work/.edited"
    mv "$work/.edited" "$file"
  done
  if [ "$1" = gitops ]; then
    mkdir -p "$work/.github/tracking"
    printf %s "$promoted" >"$work/.github/tracking/Promoted_Commit_Id"
  fi
  [ -d "$git" ] || git init --quiet --bare "$git"
  git --git-dir="$git" symbolic-ref HEAD "refs/heads/$3"
  git --git-dir="$git" --work-tree="$work" add --all
  git --git-dir="$git" --work-tree="$work" commit --quiet --message "$1"
  git --git-dir="$git" rev-parse HEAD
  rm -rf "$work" "$git/index"
}

promoted=$(commit control-plane-main control-plane main)
commit control-plane-dev control-plane dev >/dev/null
commit shop shop main >/dev/null
commit telemetry telemetry main >/dev/null
commit gitops gitops dev >/dev/null
echo "Made $(cd "$repositories" && echo *.git) in $repositories"
echo "export KALYPSO_GIT_URL_PREFIX=file://$repositories"
