#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repositories of the example in a folder: an empty repository for the result,
# and the control plane. The control plane has the branch main with a cluster type, the branch
# search with a workload, and the branch dev, which is based on main and registers the workload. The
# folders fleet and control-plane have a cluster type.
#
#   bash setup.sh FOLDER
set -euo pipefail
git=$1/control-plane.git
git init --quiet --bare "$1/gitops.git"
git init --quiet --bare "$git"

# commit BRANCH FILE: makes a branch with standard input as its only file.
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
commit search workload.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata:
  name: search
spec:
  deploymentTargets:
    - name: search-dev
      environment: dev
      manifests:
        repo: https://github.com/contoso/search
        branch: main
        path: .
YAML
commit dev objects.yaml <<YAML
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata:
  name: main
spec:
  repo: file://$git
  branch: main
  path: .
  commit: $(git --git-dir="$git" rev-parse main)
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: WorkloadRegistration
metadata:
  name: search
  labels:
    workspace: search
spec:
  workload:
    repo: file://$git
    branch: search
    path: .
YAML
mkdir fleet control-plane
git --git-dir="$git" show main:small.yaml | tee fleet/small.yaml >control-plane/small.yaml
