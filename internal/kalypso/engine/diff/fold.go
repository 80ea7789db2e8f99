// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
)

// fold is a change, and the other files in which the same lines change.
type fold struct {
	text   string
	others []string
}

// namedOthers are told by name.
const namedOthers = 3

func (f *fold) String() string {
	if len(f.others) == 0 {
		return f.text
	}
	names, more := f.others, ""
	if n := len(names) - namedOthers; n > 0 {
		names, more = names[:namedOthers], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s(the same lines in %s: %s%s)\n", f.text, plural(len(f.others), "other file"), strings.Join(names, ", "), more)
}

// folded returns changes with those of the same lines as one, where the first of them was.
func folded(changes []*change) []*fold {
	var all []*fold
	first := map[string]*fold{}
	for _, c := range changes {
		f := &fold{text: c.text()}
		lines := changedLines(f.text)
		if same := first[lines]; same != nil && lines != "" {
			same.others = append(same.others, quoted(c.Path))
			continue
		}
		first[lines] = f
		all = append(all, f)
	}
	return all
}

// changedLines returns what a change says beside names, ids, places and the lines that
// stay: whether the file is new or deleted, and the lines that go and come. It is empty
// where there are none, or the file has another name, too.
func changedLines(text string) string {
	var b strings.Builder
	inHunks := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "@@ "): // where in the file says nothing
			inHunks = true
		case inHunks && line[0] != ' ', strings.HasPrefix(line, "new file mode "), strings.HasPrefix(line, "deleted file mode "), strings.HasPrefix(line, "new mode "):
			b.WriteString(line)
		case strings.HasPrefix(line, "rename from "):
			return ""
		}
	}
	if !inHunks {
		return ""
	}
	return b.String()
}
