#!/bin/sh
# Brings a device to what the folder of its cluster type says, once: a timer runs it. It
# needs git 2.29, flock, and mv of GNU or BusyBox.
#
#   poll.sh CONFIGURATION
#
# The configuration is a file of the device's owner:
#
#   GITOPS_REPO=https://github.com/contoso/gitops   the GitOps repository,
#   GITOPS_BRANCH=prod                              the branch of the environment,
#   GITOPS_FOLDER=kiosk                             the folder of the cluster type
#   TRUSTED=https://github.com/contoso/             what URLs of workloads begin with,
#   STATE=/var/lib/gitops                           a folder that is this script's own,
#   HOOK=/usr/local/sbin/restart-workloads          what puts new files to use
#   PROTOCOLS=https                                 of git; https where it is not set
#
# $STATE/current leads to a folder for each package, with the workload's files in files/ and
# its environment in platform-config.sh and namespace.sh. It changes at once, or not at all;
# then the hook is run with that folder, again at the next poll where it fails. A workload
# that cannot be fetched or is not trusted keeps the files that it has.
#
# Nothing of a repository is run, sourced or evaluated. Exits with 0 where all is as it
# should be, or another poll is at it, with 1 where something was not, and says what.
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
  *) set -- "./$1" ;; # a name without a slash would be looked up in PATH
esac
# shellcheck disable=SC1090 # the owner's
. "$1"
for name in GITOPS_REPO GITOPS_BRANCH GITOPS_FOLDER TRUSTED STATE HOOK; do
  eval "[ -n \"\${$name:-}\" ]" || die "$1 does not set $name."
done
case $TRUSTED in
  */) ;;
  *) die "TRUSTED has to end with a slash: what begins with $TRUSTED may be somebody else's." ;;
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

# Removes the rest of a poll that was cut short. No other poll runs now, so locks of Git are stale.
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

# value NAME FILE: what a file of lines NAME='value' says of a name.
value() { sed -n "s/^$1='\(.*\)'\$/\1/p" "$2"; }

# plain FILE: whether all lines of it are such lines, or comments.
plain() { ! grep -Evq "^([A-Z_][A-Z0-9_]*='[^']*'|#.*|)\$" "$1"; }

# files TREE FOLDER: writes the files of a tree, which may be files alone, and not more than
# ten thousand: a link could lead anywhere, and a few trees can name each other for ever.
files() {
  git ls-tree -r -t "$1" | head -n 10001 >"$new.names.all" || return
  if [ "$(wc -l <"$new.names.all")" -gt 10000 ]; then
    say "It holds more than 10000 files and folders."
    return 1
  fi
  if grep -Evq '^(100(644|755) blob|040000 tree) ' "$new.names.all"; then
    say "It holds links or submodules."
    return 1
  fi
  mkdir -p "$2" && GIT_INDEX_FILE=$new.index git read-tree "$1" &&
    GIT_INDEX_FILE=$new.index GIT_WORK_TREE=$2 git checkout-index --all
}

# package NAME: writes what the folder says of a package, and its id, to $new/NAME.
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

fetch "$GITOPS_REPO" "$GITOPS_BRANCH" gitops || die "$GITOPS_REPO cannot be fetched. All stays as it is."
gitops=$(git rev-parse refs/polled/gitops)
# The folder of a cluster type is there also where nothing is assigned to it.
git rev-parse --verify --quiet "$gitops:$GITOPS_FOLDER/README.md" >/dev/null ||
  die "$GITOPS_REPO has no folder $GITOPS_FOLDER in $GITOPS_BRANCH. All stays as it is."

failed=0
git ls-tree -d --name-only "$gitops:$GITOPS_FOLDER" >"$new.names"
while read -r name; do
  case $name in
    [!a-z0-9]* | *[!a-z0-9.-]*) say "$name is no name of a package."; failed=1; continue ;;
  esac
  if ! package "$name"; then
    failed=1
    rm -rf "${new:?}/$name"
    if [ -d "$STATE/current/$name" ]; then
      say "$name stays as it is."
      cp -R "$STATE/current/$name" "$new/"
    fi
  fi
done <"$new.names"

id=$(cat "$new"/*/id /dev/null 2>/dev/null | git hash-object --stdin)
if [ "$(cat "$STATE/applied" 2>/dev/null)" = "$id" ]; then
  exit $failed
fi
if [ "$(readlink "$STATE/current")" != "releases/$id" ]; then
  rm -rf "$STATE/releases/$id" # of a poll that was cut short, and may have written half of it
  sync                         # what is led to has to be there after a power cut, too
  mv "$new" "$STATE/releases/$id"
  # From here on nothing counts as applied until the hook has done its work, what was
  # applied before neither: the branch may go back to it.
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
