#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Makes the bare repository gitops.git in a folder, whose branch dev has the release v1.4.0, and the
# reports of its clusters and tests in the folder reports.
#
#   bash setup.sh FOLDER
set -euo pipefail
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git=$1/gitops.git
git init --quiet --bare "$git"
git --git-dir="$git" symbolic-ref HEAD refs/heads/dev
mkdir -p "$work/.github/tracking" reports
echo v1.4.0 >"$work/.github/tracking/Promoted_Commit_Id"
git --git-dir="$git" --work-tree="$work" add --all
git --git-dir="$git" --work-tree="$work" commit --quiet --message "Release v1.4.0"
commit=$(git --git-dir="$git" rev-parse dev)
report() { printf '{"commit": "%s", "context": "%s", "state": "success", "time": "2026-03-02T09:00:00Z"}' "$commit" "$1"; }
echo "[$(report kalypso/dev/cloud), $(report kalypso/dev/store)]" >reports/clusters.json
report e2e/smoke >reports/smoke.json
