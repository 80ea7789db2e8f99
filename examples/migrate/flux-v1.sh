#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Changes the control plane as its team would: in the branch main, the template writes
# versions of Flux's objects that current Flux serves. Then promotes that commit to dev.
#
#   bash flux-v1.sh [FOLDER]    the folder of setup.sh, by default ./repositories
set -euo pipefail
export GIT_AUTHOR_NAME=Platform GIT_AUTHOR_EMAIL=platform@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet --branch main "${1:-repositories}/control-plane.git" "$work"
cd "$work"

sed 's#toolkit.fluxcd.io/v1beta2#toolkit.fluxcd.io/v1#' templates/arc-flux.yaml >.edited
mv .edited templates/arc-flux.yaml
git commit --quiet --all --message "Write version v1 of Flux's objects"
promoted=$(git rev-parse HEAD)

git switch --quiet dev
sed "s#commit: .*#commit: $promoted#" base-repo.yaml >.edited
mv .edited base-repo.yaml
git commit --quiet --all --message "Promote version v1 of Flux's objects to dev"
git push --quiet origin main dev
