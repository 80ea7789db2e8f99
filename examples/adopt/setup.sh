#!/usr/bin/env bash
# Makes a plain GitOps repository as people write it by hand: three clusters with ten applications each. Then gives each
# folder the name of a package. No file changes, so no cluster changes anything.
#
#   bash setup.sh [FOLDER]    by default the folder repositories
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p "${1:-repositories}"
folder=$(cd "${1:-repositories}" && pwd)
git init --quiet --bare "$folder/gitops.git"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git init --quiet "$clone"
cd "$clone"
git symbolic-ref HEAD refs/heads/main
for cluster in north south west; do
  for i in 0 1 2 3 4 5 6 7 8 9; do
    mkdir -p "$cluster/app-$i"
    cat >"$cluster/app-$i/app.yaml" <<YAML
apiVersion: v1
kind: Namespace
metadata:
  name: app-$i
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: app-$i
  namespace: app-$i
spec:
  interval: 1m
  url: https://github.com/contoso/app-$i
  ref:
    branch: main
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: app-$i
  namespace: app-$i
spec:
  interval: 5m
  sourceRef:
    kind: GitRepository
    name: app-$i
  path: ./deploy
  prune: true
YAML
  done
done
commit() { git add --all && git -c user.name=Ann -c user.email=ann@example.com commit --quiet --message "$1"; }
commit "Deploy ten applications by hand"
for package in */*; do git mv "$package" "$package-live"; done # <workload>-<deployment target>
commit "Name each folder after its workload and deployment target"
git push --quiet "$folder/gitops.git" main
