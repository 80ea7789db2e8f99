# shellcheck shell=bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# For scripts that play a user of starter/: lib.sh, and the folder $work/provider, a clone of this folder that
# replaces the provider's repository on GitHub.
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
unset CI TF_BUILD # a reader follows the page on a laptop

exec 3>&1 # fail also prints if the output of a function goes to a file
subject=$(basename "$0")
subject=${subject#check-}
fail() {
  echo "FAILED $subject: $*" >&3
  exit 1
}

# run COMMAND...: runs the command. Prints its output only if the command fails.
run() {
  if ! "$@" >"$work/log" 2>&1 </dev/null; then
    cat "$work/log"
    fail "$*"
  fi
}

# commits REPOSITORY: commits all files of the folder.
commits() { git -C "$1" add --all && git -C "$1" commit --quiet --message "Change the fleet"; }

mkdir "$work/provider"
cd "$root"
git ls-files -z --cached --others --exclude-standard modules starter | tar -c --null -T - | tar -x -C "$work/provider"
git init --quiet "$work/provider"
commits "$work/provider"
git -C "$work/provider" tag v0.1.0
export GIT_CONFIG_COUNT=1
export GIT_CONFIG_KEY_0=url.file://$work/provider.insteadOf
export GIT_CONFIG_VALUE_0=https://github.com/kalypso-gitops/terraform-provider-kalypso.git
