#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example in a folder: a control plane, and a GitOps
# repository with the branch dev that the example reads. A folder is not a forge, so no cluster
# reports.
#
#   bash setup.sh FOLDER
set -euo pipefail
echo 'clusters = []' >clusters.auto.tfvars

# commit REPOSITORY BRANCH FILE: makes a branch with standard input as its only file.
commit() {
  local git=$1 work
  work=$(mktemp -d)
  mkdir -p "$work/$(dirname "$3")"
  cat >"$work/$3"
  git --git-dir="$git" symbolic-ref HEAD "refs/heads/$2"
  git --git-dir="$git" --work-tree="$work" add --all
  GIT_COMMITTER_DATE=2026-01-05T09:00:00Z git --git-dir="$git" --work-tree="$work" commit --quiet --message "Write $3"
  rm -rf "$work" "$git/index"
}

platform=$1/control-plane.git
git init --quiet --bare "$platform"
commit "$platform" main small.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata:
  name: small
spec:
  reconciler: arc-flux
  namespaceService: namespace
YAML
commit "$platform" stage base-repo.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata:
  name: main
spec:
  repo: file://$platform
  branch: main
  path: .
YAML

gitops=$1/gitops.git
git init --quiet --bare "$gitops"
commit "$gitops" dev .github/tracking/Promoted_Commit_Id <<<"$(git --git-dir="$platform" rev-parse main)"
