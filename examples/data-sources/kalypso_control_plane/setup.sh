#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the repositories of the example as bare ones in a folder: an empty one
# for the result, and the control plane, with a cluster type in the branch main,
# and dev, which is based on it.
#
#   bash setup.sh FOLDER
set -euo pipefail
git=$1/control-plane.git
git init --quiet --bare "$1/gitops.git"
git init --quiet --bare "$git"

# commit BRANCH FILE: makes standard input the one file of a branch.
commit() {
  local work
  work=$(mktemp -d)
  cat >"$work/$2"
  git --git-dir="$git" symbolic-ref HEAD "refs/heads/$1"
  git --git-dir="$git" --work-tree="$work" add --all
  git --git-dir="$git" --work-tree="$work" commit --quiet --message "Write $2"
  rm -rf "$work" "$git/index"
}

commit main small.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata:
  name: small
spec:
  reconciler: arc-flux
  namespaceService: namespace
YAML
commit dev base-repo.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata:
  name: main
spec:
  repo: file://$git
  branch: main
  path: .
  commit: $(git --git-dir="$git" rev-parse main)
YAML
