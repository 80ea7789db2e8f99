#!/usr/bin/env bash
# Says where the repositories are, in repositories.json, and commits this folder.
#
#   bash setup.sh                   local repositories, in the folder repositories
#   bash setup.sh FLEET GITOPS      the URLs of your repositories; the script does not push
set -euo pipefail
cd "$(dirname "$0")"

if git --git-dir=.git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
  echo "This folder is a repository with commits. Run setup.sh in a new folder, or edit repositories.json." >&2
  exit 1
fi
rm -rf app # the beginning of another repository, that of an application team
if [ $# -eq 0 ]; then
  mkdir -p repositories
  git init --quiet --bare repositories/fleet.git
  git init --quiet --bare repositories/gitops.git
  git --git-dir=repositories/fleet.git symbolic-ref HEAD refs/heads/main # what a clone checks out
  git --git-dir=repositories/gitops.git symbolic-ref HEAD "refs/heads/$(head -n 1 environments.txt)"
  set -- "file://$PWD/repositories/fleet.git" "file://$PWD/repositories/gitops.git"
  push=true
fi
printf '{"fleet": "%s", "gitops": "%s"}\n' "$1" "$2" >repositories.json
printf '%s\n' .terraform/ 'terraform.tfstate*' '*.tfplan' /repositories/ /plans/ /site/ terraform.rc >.gitignore

[ -e .git ] || git init --quiet
git symbolic-ref HEAD refs/heads/main
git add --all
git commit --quiet --message "Describe the fleet"
git remote add origin "$1" 2>/dev/null || git remote set-url origin "$1"
[ -z "${push:-}" ] || git push --quiet --set-upstream origin main
