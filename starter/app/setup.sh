#!/usr/bin/env bash
# Says where the repositories are, in repositories.json (and in workload.yaml), and commits this folder.
#
#   bash setup.sh                 local repositories, in the folder repositories
#   bash setup.sh APP GITOPS      the URLs of your repositories; the script does not push
set -euo pipefail
cd "$(dirname "$0")"

if git --git-dir=.git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
  echo "This folder is a repository with commits. Run setup.sh in a new folder, or edit repositories.json." >&2
  exit 1
fi
if [ $# -eq 0 ]; then
  mkdir -p repositories
  git init --quiet --bare repositories/shop.git
  git init --quiet --bare repositories/shop-gitops.git
  set -- "file://$PWD/repositories/shop.git" "file://$PWD/repositories/shop-gitops.git"
  push=true
else
  sed -i.bak "s|https://github.com/contoso/shop-gitops|$2|" workload.yaml && rm workload.yaml.bak
fi
printf '{"app": "%s", "gitops": "%s"}\n' "$1" "$2" >repositories.json
printf '%s\n' .terraform/ 'terraform.tfstate*' /repositories/ /rendered/ terraform.rc >.gitignore
printf '%s\n' '/*' '!/workload.yaml' >.sourceignore # what a fleet reads that registers this repository

[ -e .git ] || git init --quiet
git symbolic-ref HEAD refs/heads/main
git add --all
git commit --quiet --message "Describe the application"
git remote add origin "$1" 2>/dev/null || git remote set-url origin "$1"
[ -z "${push:-}" ] || git push --quiet --set-upstream origin main
