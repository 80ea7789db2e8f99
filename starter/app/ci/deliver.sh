#!/usr/bin/env bash
# Delivers to environments: renders the newest version that has worked in the environment before, and writes it to the
# GitOps repository, or proposes it there.
#
#   bash ci/deliver.sh ENVIRONMENT...
set -euo pipefail
cd "$(dirname "$0")/.."
bash ci/backend.sh deliver
terraform -chdir=deliver init -input=false

# A chain of &&, because bash ignores errors in a function that has || after it.
deliver() {
  export TF_WORKSPACE=$1 # two deliveries in one folder do not change each other's workspace
  terraform -chdir=deliver apply -input=false -auto-approve -refresh-only && # chooses the version
    version=$(terraform -chdir=deliver output -raw version) &&
    if [ -n "$version" ]; then
      bash ci/render.sh "$version" "$1" "rendered/$1" &&
        terraform -chdir=deliver apply -input=false -auto-approve -var "rendered_version=$version"
    fi
}

failed=0
for environment in "$@"; do # one that fails does not stop the others
  deliver "$environment" || failed=1
done
exit $failed
