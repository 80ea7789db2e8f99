#!/usr/bin/env bash
# Shows on the commits of this repository whether they pass the tests, and in which environments they are and run.
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/backend.sh ../status
terraform init -input=false
state=success
terraform test || state=failure
terraform -chdir=status init -input=false
terraform -chdir=status apply -input=false -auto-approve -var "tested={\"$(git rev-parse HEAD)\"=\"$state\"}"
