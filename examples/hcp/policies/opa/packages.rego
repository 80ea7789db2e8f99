# Limits what one run may change in the branches of a fleet. The attribute packages of
# kalypso_gitops_commit has an id for each package: "<cluster type>/<deployment target>".
package kalypso.packages

import rego.v1

# The largest number of packages that one run may remove.
max_removed := 5

# HCP Terraform has the plan below input.plan, "terraform show -json" at the top.
plan := object.get(input, "plan", input)

commits contains change if {
	some change in plan.resource_changes
	change.type == "kalypso_gitops_commit"
}

# packages returns the packages of a state, which is null before the first apply and after a
# destroy.
packages(state) := object.get(state, "packages", {}) if is_object(state)

packages(state) := {} if is_null(state)

# names returns the names of packages. Other names are README.md files, and further files, which begin with a dot.
names(state) := {name | some name, _ in packages(state); not endswith(name, "/README.md"); not startswith(name, ".")}

removed(change) := names(change.change.before) - names(change.change.after)

cluster_types(paths) := {split(path, "/")[0] | some path in paths}

deny contains message if {
	some change in commits
	count(removed(change)) > max_removed
	message := sprintf("%s removes too many packages (%d, at most %d): %s", [
		change.address, count(removed(change)), max_removed, concat(", ", sort(removed(change))),
	])
}

deny contains message if {
	some change in commits
	some emptied in cluster_types(names(change.change.before)) - cluster_types(names(change.change.after))
	message := sprintf("%s leaves the cluster type %s without packages.", [change.address, emptied])
}
