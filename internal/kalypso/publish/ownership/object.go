// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"fmt"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Object is a file (tree.ModeFile) or folder (tree.ModeDir) with its id. A missing object has
// the zero id.
type Object struct {
	Mode tree.Mode
	ID   tree.ID
}

// IsFolder reports whether the object is a folder that exists.
func (o Object) IsFolder() bool { return o.Mode == tree.ModeDir && !o.ID.IsZero() }

// Objects are files and folders by their paths from the repository's root.
type Objects map[string]Object

// MarshalText writes an object as git lists it: "tree <id>" or "blob <id>".
func (o Object) MarshalText() ([]byte, error) {
	kind := "blob"
	if o.Mode == tree.ModeDir {
		kind = "tree"
	}
	return []byte(kind + " " + o.ID.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (o *Object) UnmarshalText(text []byte) error {
	kind, id, _ := strings.Cut(string(text), " ")
	switch kind {
	case "blob":
		o.Mode = tree.ModeFile
	case "tree":
		o.Mode = tree.ModeDir
	default:
		return fmt.Errorf("%q is neither a blob nor a tree", text)
	}
	return o.ID.UnmarshalText([]byte(id))
}
