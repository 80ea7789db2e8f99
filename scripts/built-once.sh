# shellcheck shell=bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Sourced by scripts that build or download what tests run, once, into the user's cache:
#
#   built_once NAME [FILE]  runs build FOLDER unless the cache has the folder NAME; prints
#                           that folder, or the file in it
#   in_cache NAME [FILE]    prints the same if the cache has it, and fails if not
#
# A folder in the cache is complete: it is built beside it and moved. Of two builds at once,
# the first one counts.

cache=${XDG_CACHE_HOME:-${HOME:-$PWD/bin}/.cache}/terraform-provider-kalypso

in_cache() {
  [ -e "$cache/$1${2:+/$2}" ] && echo "$cache/$1${2:+/$2}"
}

built_once() {
  in_cache "$@" && return
  mkdir -p "$cache"
  find "$cache" -maxdepth 1 -name 'building.*' -mtime +1 -exec rm -rf {} + # of a build that was killed
  building=$(mktemp -d "$cache/building.XXXXXX")
  trap 'rm -rf "$building"' EXIT
  mkdir "$building/$1"
  build "$building/$1" >&2
  in_cache "$@" >&2 || rm -rf "${cache:?}/$1" # somebody has removed a part of it
  # An existing folder of the same name is not replaced, and nothing is put into it.
  mv "$building/$1" "$cache/" 2>/dev/null || [ -d "$cache/$1" ]
  in_cache "$@"
}
