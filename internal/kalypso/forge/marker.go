// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"encoding/json"
	"path"
	"strings"
)

// Marker tells our requests and issues from those of others, and those of one
// resource from those of another: the environment, and the branch and path that
// the requests change.
type Marker struct{ Environment, Base, Path string }

// mark is what a request's body carries out of sight: its marker, and the branch
// and commit that were pushed for it. Who copies our body into a request of
// their own does not make it ours, since its branch has another name.
type mark struct {
	Environment string `json:"environment"`
	Base        string `json:"base"`
	Path        string `json:"path"`
	Head        string `json:"head,omitempty"`
	Commit      string `json:"commit,omitempty"`
}

// A mark is an HTML comment, which forges do not show.
const (
	markStart = "<!-- terraform-provider-kalypso "
	markEnd   = " -->"
)

func (m Marker) mark() mark {
	return mark{Environment: m.Environment, Base: m.Base, Path: path.Clean("./" + m.Path)}
}

// of reports whether the mark is one of the marker's.
func (k mark) of(m Marker) bool {
	k.Head, k.Commit = "", ""
	return k == m.mark()
}

// comment encodes the mark. encoding/json writes < and > as escapes, so no name
// can end the comment.
func (k mark) comment() string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return markStart + string(text) + markEnd
}

// readMark finds the mark of a body: the last one, since ours stands at the end.
func readMark(body string) (mark, bool) {
	_, rest, found := cutLast(body, markStart)
	text, _, ended := strings.Cut(rest, markEnd)
	var k mark
	if !found || !ended || json.Unmarshal([]byte(text), &k) != nil {
		return mark{}, false
	}
	return k, true
}

// cutLast is strings.Cut at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
