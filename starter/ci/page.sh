#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Writes the page of the fleet: site/index.html.
set -euo pipefail
cd "$(dirname "$0")/.."
terraform -chdir=page init -input=false
terraform -chdir=page apply -input=false -auto-approve
mkdir -p site
terraform -chdir=page output -raw page >site/index.html
