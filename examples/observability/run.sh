#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Writes fleet.json and metrics.txt about a fleet in the layout of the starter.
#
#   bash observability/run.sh
set -euo pipefail
cd "$(dirname "$0")/.."
drifted=()
# shellcheck disable=SC2013 # a name is a word
for environment in $(cat environments.txt); do
  bash ci/drift.sh "$environment" || drifted+=("$environment")
done
# shellcheck disable=SC2016 # a variable of jq
list() { jq --null-input --compact-output '$ARGS.positional' --args "$@"; }
# shellcheck disable=SC2046 # a name is a word
TF_VAR_environments=$(list $(cat environments.txt)) TF_VAR_drifted=$(list ${drifted[@]+"${drifted[@]}"})
TF_VAR_gitops_repo=$(jq --raw-output .gitops repositories.json) TF_VAR_time=$(date +%s)
export TF_VAR_environments TF_VAR_drifted TF_VAR_gitops_repo TF_VAR_time

cd observability
terraform init -input=false
terraform apply -input=false -auto-approve
terraform output -raw fleet >fleet.json
terraform output -raw metrics >metrics.new
mv metrics.new metrics.txt # a reader never sees a part
