// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "maps"

// WithLabel returns the document of a workload with one more label, which takes the place
// of one of the same key, written anew. Other documents stay as they are.
func (d Document) WithLabel(key, value string) Document {
	w, ok := d.Object.(*Workload)
	if !ok {
		return d
	}
	labelled := *w
	labelled.Labels = map[string]string{}
	maps.Copy(labelled.Labels, w.Labels)
	labelled.Labels[key] = value
	return d.anew(&labelled)
}

// anew returns the document with another object, written anew.
func (d Document) anew(o Object) Document {
	text := Encode(o)
	if d.part.offset > 0 {
		text = "---\n" + text
	}
	d.Object, d.part.text = o, text
	return d
}
