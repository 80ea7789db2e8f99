#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare GitOps repository of the example in a folder. Its branches dev and prod
# have the workload shop on a cluster type, at two versions.
#
#   bash setup.sh FOLDER
set -euo pipefail

gitops=$1/gitops.git
git init --quiet --bare "$gitops"
for environment in dev=v1.4.1 prod=v1.4.0; do
  name=${environment%%=*}
  work=$(mktemp -d)
  mkdir -p "$work/store/shop-live"
  echo 'This folder contains deployment targets scheduled on the cluster type' >"$work/store/README.md"
  cat >"$work/store/shop-live/namespace.yaml" <<YAML
apiVersion: v1
kind: Namespace
metadata:
  name: $name-store-shop-live
  labels: {environment: $name, workspace: shop-team, workload: shop, deploymentTarget: live}
YAML
  cat >"$work/store/shop-live/reconciler.yaml" <<YAML
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: shop-live
  namespace: $name-store-shop-live
spec:
  interval: 5m
  url: https://github.com/contoso/shop
  ref: {tag: ${environment##*=}}
YAML
  git --git-dir="$gitops" symbolic-ref HEAD "refs/heads/$name"
  git --git-dir="$gitops" --work-tree="$work" add --all
  git --git-dir="$gitops" --work-tree="$work" commit --quiet --message "$name: shop ${environment##*=}"
  rm -rf "$work" "$gitops/index"
done
