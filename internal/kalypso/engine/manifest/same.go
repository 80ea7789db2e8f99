// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "slices"

// Same reports whether two lists of manifests have the same objects: without regard to comments,
// to the order of documents and of keys, and to which text has an object. Texts with mistakes are the
// same only if they are equal.
func Same(a, b []Text) bool {
	if slices.EqualFunc(a, b, func(a, b Text) bool { return a.Text == b.Text }) {
		return true
	}
	left, ok := canonical(a)
	right, also := canonical(b)
	return ok && also && slices.Equal(left, right)
}

// canonical returns a text for each object, sorted. It returns false if there are mistakes.
func canonical(texts []Text) (all []string, ok bool) {
	objects, others, err := DecodeAll(texts)
	for _, o := range objects {
		all = append(all, Encode(o))
	}
	for _, o := range others {
		all = append(all, Encode(o))
	}
	slices.Sort(all)
	return all, err == nil
}
