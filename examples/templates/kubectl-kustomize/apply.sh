#!/bin/sh
# Brings a cluster to what the folder of its cluster type says, with kubectl:
#
#   apply.sh FOLDER    in a clone of the GitOps repository
#
# A package that fails does not keep others from being applied; the exit code says so.
set -eu
folder=${1%/}
cluster_type=$(basename "$folder")
[ -e "$folder/README.md" ] || { echo "$folder is no folder of a cluster type." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package FOLDER: makes its namespace and, as the account that may edit it, applies what
# belongs into it and prunes what no longer does.
package() {
  kubectl apply --server-side --filename "$1/namespace.yaml" || return
  namespace=$(sed -n 's/^namespace: "\(.*\)"$/\1/p' "$1/reconciler.yaml")
  account=system:serviceaccount:$namespace:reconciler
  copy=$work/$namespace
  mkdir "$copy" && cp "$1/"* "$copy" && mv "$copy/reconciler.yaml" "$copy/kustomization.yaml" || return
  kubectl kustomize "$copy" >"$copy.yaml" || return
  KUBECTL_APPLYSET=true kubectl apply --server-side --as "$account" --namespace "$namespace" \
    --prune --applyset configmaps/packages --filename "$copy.yaml"
}

failed=0
for each in "$folder"/*/; do
  [ -d "$each" ] || continue
  package "${each%/}" || { echo "${each%/} is not applied." >&2; failed=1; }
done

# What has left the folder goes with its namespace.
kubectl get namespaces --selector "gitops.contoso.com/cluster-type=$cluster_type" --output name >"$work/namespaces"
while read -r namespace; do
  grep -qrFx "  name: \"${namespace#namespace/}\"" "$folder" --include namespace.yaml ||
    kubectl delete --wait=false "$namespace" || failed=1
done <"$work/namespaces"
exit $failed
