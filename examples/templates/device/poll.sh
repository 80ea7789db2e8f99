#!/bin/sh
# Installs the folder of a cluster type on a device, once. A timer runs this script. The script
# needs git 2.29, flock, and mv of GNU or BusyBox.
#
#   poll.sh CONFIGURATION
#
# CONFIGURATION is a shell file that the device's owner writes:
#
#   GITOPS_REPO=https://github.com/contoso/gitops   the GitOps repository
#   GITOPS_BRANCH=prod                              the branch of the environment
#   GITOPS_FOLDER=kiosk                             the folder of the cluster type
#   TRUSTED=https://github.com/contoso/             the prefix of allowed URLs of workloads
#   STATE=/var/lib/gitops                           a folder for this script alone
#   HOOK=/usr/local/sbin/restart-workloads          a program that uses the new files
#   PROTOCOLS=https                                 protocols for git; default: https
#
# $STATE/current is a link to a folder with a subfolder for each package. A subfolder has the
# workload's files in files/, and its variables in platform-config.sh and namespace.sh. The link
# changes in one step. The script then runs the hook with this folder, and again at the next poll
# if the hook fails. If a workload cannot be fetched or is not trusted, it keeps its old files.
#
# The script does not run, source or evaluate any file of a repository. It exits with 0 if
# everything is up to date, or if another poll is running. Otherwise it prints the problem and
# exits with 1.
set -eu
umask 022
LC_ALL=C
export LC_ALL

say() { echo "poll: $*" >&2; }
die() { say "$*"; exit 1; }

if [ $# != 1 ] || [ ! -r "$1" ]; then
  die "Usage: poll.sh CONFIGURATION"
fi
case $1 in
  */*) ;;
  *) set -- "./$1" ;; # the shell would look for a name without a slash in PATH
esac
# shellcheck disable=SC1090 # the owner writes this file
. "$1"
for name in GITOPS_REPO GITOPS_BRANCH GITOPS_FOLDER TRUSTED STATE HOOK; do
  eval "[ -n \"\${$name:-}\" ]" || die "$1 does not set $name."
done
case $TRUSTED in
  */) ;;
  *) die "TRUSTED must end with a slash: another owner's URL may begin with $TRUSTED too." ;;
esac

GIT_DIR=$STATE/git
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
GIT_ALLOW_PROTOCOL=${PROTOCOLS:-https}
GIT_HTTP_LOW_SPEED_LIMIT=1000 GIT_HTTP_LOW_SPEED_TIME=60
export GIT_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_TERMINAL_PROMPT
export GIT_ALLOW_PROTOCOL GIT_HTTP_LOW_SPEED_LIMIT GIT_HTTP_LOW_SPEED_TIME

mkdir -p "$STATE/releases"
exec 9>"$STATE/lock"
flock -n 9 || exit 0

# Removes the files of an interrupted poll. No other poll runs now, so Git's locks are stale.
rm -rf "$STATE"/new "$STATE"/new.* "$STATE"/next "$STATE"/applied.new
[ -d "$GIT_DIR" ] || git init --quiet --bare
find "$GIT_DIR" -name '*.lock' -exec rm -f {} +
new=$STATE/new
trap 'rm -rf "$new" "$new".*' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$new"

# fetch REPO BRANCH NAME: the last commit of a branch becomes refs/polled/NAME.
fetch() {
  git -c transfer.fsckObjects=true -c gc.autoDetach=false -c maintenance.autoDetach=false fetch --quiet --depth 1 --no-tags --no-write-fetch-head \
    "$1" "+refs/heads/$2:refs/polled/$3"
}

# value NAME FILE: prints the value of a name in a file of lines NAME='value'.
value() { sed -n "s/^$1='\(.*\)'\$/\1/p" "$2"; }

# plain FILE: succeeds if all lines of the file are such lines, comments or empty.
plain() { ! grep -Evq "^([A-Z_][A-Z0-9_]*='[^']*'|#.*|)\$" "$1"; }

# files TREE FOLDER: writes the files of a tree. The tree may contain at most ten thousand files
# and folders, because a few trees can refer to each other many times. It may contain no links,
# because a link could lead anywhere.
files() {
  git ls-tree -r -t "$1" | head -n 10001 >"$new.names.all" || return
  if [ "$(wc -l <"$new.names.all")" -gt 10000 ]; then
    say "$1 has more than 10000 files and folders."
    return 1
  fi
  if grep -Evq '^(100(644|755) blob|040000 tree) ' "$new.names.all"; then
    say "$1 has links or submodules."
    return 1
  fi
  mkdir -p "$2" && GIT_INDEX_FILE=$new.index git read-tree "$1" &&
    GIT_INDEX_FILE=$new.index GIT_WORK_TREE=$2 git checkout-index --all
}

# package NAME: writes the files of a package, and its id, to $new/NAME.
package() {
  to=$new/$1
  files "$gitops:$GITOPS_FOLDER/$1" "$to" || return
  for file in reconciler.sh namespace.sh platform-config.sh; do
    if [ -e "$to/$file" ] && ! plain "$to/$file"; then
      say "$1/$file has lines other than NAME='value'."
      return 1
    fi
  done
  [ -e "$to/reconciler.sh" ] || { say "$1 has no reconciler.sh."; return 1; }
  repo=$(value REPO "$to/reconciler.sh") branch=$(value BRANCH "$to/reconciler.sh")
  folder=$(value FOLDER "$to/reconciler.sh")
  [ "$folder" != . ] || folder=
  case $repo in
    *..* | *%* | *\\*) say "$1: $repo is not a URL to trust."; return 1 ;;
    "$TRUSTED"*) ;;
    *) say "$1: $repo is not below $TRUSTED."; return 1 ;;
  esac
  git check-ref-format "refs/heads/$branch" || { say "$1: $branch is not a branch name."; return 1; }
  fetch "$repo" "$branch" "package-$1" || { say "$1: $repo cannot be fetched."; return 1; }
  tree=$(git rev-parse --verify --quiet "refs/polled/package-$1:$folder") ||
    { say "$1: $repo has no folder $folder in $branch."; return 1; }
  files "$tree" "$to/files" || return
  echo "$1 $(git rev-parse "$gitops:$GITOPS_FOLDER/$1") $tree" >"$to/id"
}

fetch "$GITOPS_REPO" "$GITOPS_BRANCH" gitops || die "$GITOPS_REPO cannot be fetched. Nothing changes."
gitops=$(git rev-parse refs/polled/gitops)
# The folder of a cluster type exists even without packages.
git rev-parse --verify --quiet "$gitops:$GITOPS_FOLDER/README.md" >/dev/null ||
  die "$GITOPS_REPO has no folder $GITOPS_FOLDER in $GITOPS_BRANCH. Nothing changes."

failed=0
git ls-tree -d --name-only "$gitops:$GITOPS_FOLDER" >"$new.names"
while read -r name; do
  case $name in
    [!a-z0-9]* | *[!a-z0-9.-]*) say "$name is not a valid package name."; failed=1; continue ;;
  esac
  if ! package "$name"; then
    failed=1
    rm -rf "${new:?}/$name"
    if [ -d "$STATE/current/$name" ]; then
      say "$name stays unchanged."
      cp -R "$STATE/current/$name" "$new/"
    fi
  fi
done <"$new.names"

id=$(cat "$new"/*/id /dev/null 2>/dev/null | git hash-object --stdin)
if [ "$(cat "$STATE/applied" 2>/dev/null)" = "$id" ]; then
  exit $failed
fi
if [ "$(readlink "$STATE/current")" != "releases/$id" ]; then
  rm -rf "$STATE/releases/$id" # an interrupted poll may have written a part of this folder
  sync                         # the new files must survive a power cut
  mv "$new" "$STATE/releases/$id"
  # Until the hook succeeds, no content counts as applied. The old content does not count
  # either, because the branch may return to it.
  rm -f "$STATE/applied"
  ln -s "releases/$id" "$STATE/next"
  mv -fT "$STATE/next" "$STATE/current"
fi
(unset GIT_DIR && exec "$HOOK" "$STATE/current" 9>&-) || die "$HOOK has failed. The next poll runs it again."
echo "$id" >"$STATE/applied.new"
mv -f "$STATE/applied.new" "$STATE/applied"
for old in "$STATE"/releases/*; do
  [ "$old" = "$STATE/releases/$id" ] || rm -rf "$old"
done
git for-each-ref --format='%(refname)' 'refs/polled/package-*' | while read -r ref; do
  [ -d "$STATE/current/${ref#refs/polled/package-}" ] || git update-ref -d "$ref"
done
say "Applied $(git rev-parse "$gitops")."
exit $failed
