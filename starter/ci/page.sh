#!/usr/bin/env bash
# Writes the page of the fleet: site/index.html.
set -euo pipefail
cd "$(dirname "$0")/.."
terraform -chdir=page init -input=false
terraform -chdir=page apply -input=false -auto-approve
mkdir -p site
terraform -chdir=page output -raw page >site/index.html
