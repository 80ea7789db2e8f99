#!/bin/sh
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Prints the branch that a store reads, for each line of sha256sum:
#
#   printf %s store-4711 | sha256sum | sh ring.sh
#
# The first seven digits of the hash give a number from 0 to 99, which is always the same for a name.
set -eu
while read -r hash name; do
  number=$((0x${hash%"${hash#???????}"} % 100))
  if [ $number -lt 5 ]; then
    echo "prod-5 $name"
  elif [ $number -lt 25 ]; then
    echo "prod-25 $name"
  else
    echo "prod-100 $name"
  fi
done
