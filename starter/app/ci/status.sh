#!/usr/bin/env bash
# Shows on the commits of this repository whether they run: the status fleet/<environment> on each commit that an environment has.
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/backend.sh status
terraform -chdir=status init -input=false
terraform -chdir=status apply -input=false -auto-approve
