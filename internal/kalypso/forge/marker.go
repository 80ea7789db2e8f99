// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// Marker distinguishes our requests from others, and distinguishes resources: by
// the environment, the branch and path that the requests change, and the instance of the
// resource. An empty Instance matches any instance.
type Marker struct{ Environment, Base, Path, Instance string }

// mark is the hidden part of a request's body: its marker, and the pushed branch and commit.
// Everybody can write a mark, so a mark only finds requests that may be ours. Author and
// branch decide.
type mark struct {
	Environment string `json:"environment"`
	Base        string `json:"base"`
	Path        string `json:"path"`
	Instance    string `json:"instance,omitempty"`
	Head        string `json:"head,omitempty"`
	Commit      string `json:"commit,omitempty"`
}

// A mark is an HTML comment, which forges do not show. The mark ends our part of a body, and
// another comment begins our part.
const (
	oursStart = "<!-- terraform-provider-kalypso: each apply updates the text up to the next mark -->"
	markStart = "<!-- terraform-provider-kalypso "
	markEnd   = " -->"
)

func (m Marker) mark() mark {
	return mark{Environment: m.Environment, Base: m.Base, Path: path.Clean("./" + m.Path), Instance: m.Instance}
}

// of reports whether the mark belongs to the marker.
func (k mark) of(m Marker) bool {
	other := m.mark()
	return k.Environment == other.Environment && k.Base == other.Base && k.Path == other.Path && (m.Instance == "" || k.Instance == m.Instance)
}

// comment encodes the mark. encoding/json escapes < and >, so no name can end the comment.
func (k mark) comment() string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return markStart + string(text) + markEnd
}

// readMark finds the last mark of a body, because our mark is at the end.
func readMark(body string) (mark, bool) {
	_, rest, found := cutLast(body, markStart)
	text, _, ended := strings.Cut(rest, markEnd)
	var k mark
	if !found || !ended || json.Unmarshal([]byte(text), &k) != nil {
		return mark{}, false
	}
	return k, true
}

// around returns the text of people before and after our part of a body. Without our part,
// before is the whole body.
func around(body string) (before, after string) {
	before, rest, marked := cutLast(body, markStart)
	if !marked {
		return body, ""
	}
	_, after, _ = strings.Cut(rest, markEnd)
	before, _, begins := cutLast(before, oursStart)
	if !begins {
		before = ""
	}
	return before, after
}

// maxKept is how many bytes of people's text are kept before our part, and after our part.
const maxKept = MaxBody / 3

// renewed returns a body in which a new text and mark replace our former part. limit is how
// many bytes our text may have. The text of people around our part stays.
func renewed(body string, text func(limit int) string, k mark) string {
	before, after := around(body)
	before, after = markdown.Shorten(before, maxKept), markdown.Shorten(after, maxKept)
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n\n"
	}
	end := "\n\n" + k.comment() + after
	before += oursStart + "\n"
	return before + text(MaxBody-len(before)-len(end)) + end
}

// cutLast is strings.Cut at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
