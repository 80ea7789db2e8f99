#!/usr/bin/env bash
# Renders the chart of a commit for each deployment target of an environment: the file targets/<target>/<environment>.yaml
# makes FOLDER/<target>/manifests.yaml.
#
#   bash ci/render.sh COMMIT ENVIRONMENT FOLDER
set -euo pipefail
commit=$1 environment=$2
rm -rf "$3"
mkdir -p "$3"
folder=$(cd "$3" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive "$commit" chart targets | tar -xf - -C "$work"
for values in "$work"/targets/*/"$environment.yaml"; do
  [ -f "$values" ] || continue # the environment has no target
  target=$(basename "$(dirname "$values")")
  mkdir "$folder/$target"
  helm template "$target" "$work/chart" --values "$values" --set-string "environment=$environment,image.tag=$commit" \
    >"$folder/$target/manifests.yaml"
done
