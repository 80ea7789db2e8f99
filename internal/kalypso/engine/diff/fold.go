// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// fold is a change, and the other files in which the same lines change.
type fold struct {
	text   string
	others []string
}

const (
	// namedOthers are told by name.
	namedOthers = 3
	// namedFolders are the most folders that are told, beside how many more there are.
	namedFolders = 20
)

func (f *fold) String() string {
	if len(f.others) == 0 {
		return f.text
	}
	var names, folders []string
	for _, other := range f.others {
		names = append(names, quoted(other))
		folders = append(folders, quoted(path.Dir(path.Dir(other))))
	}
	slices.Sort(folders)
	return fmt.Sprintf("%s(the same lines in %s: %s; below %s)\n", f.text, wording.Count(len(names), "other file"), wording.First(names, namedOthers), wording.First(slices.Compact(folders), namedFolders))
}

// folded returns changes with those of the same lines as one, where the first of them was.
func folded(changes []*change) []*fold {
	var all []*fold
	known := map[string]*fold{}
	for _, c := range changes {
		f := &fold{text: c.text()}
		lines := changedLines(f.text)
		if same := known[lines]; same != nil && lines != "" {
			same.others = append(same.others, c.Path)
			continue
		}
		known[lines] = f
		all = append(all, f)
	}
	return all
}

// changedLines returns what a change says beside the file's name, ids and numbers of
// lines: whether the file is new or deleted, the lines that go and come, and what they
// belong to. It is empty where there are none, or the file has another name, too.
func changedLines(text string) string {
	var b strings.Builder
	var above []string // the lines that the next one may belong to
	inHunks := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			inHunks = true
			_, heading, _ := strings.Cut(line[len("@@ "):], " @@")
			above = []string{heading}
		case inHunks && line[0] == ' ':
			above = append(outside(above, line), line)
		case inHunks:
			for _, owner := range outside(above, line) {
				b.WriteString(owner)
			}
			b.WriteString(line)
		case strings.HasPrefix(line, "new file mode "), strings.HasPrefix(line, "deleted file mode "), strings.HasPrefix(line, "new mode "):
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

// outside returns those lines of a hunk that are indented less than another one.
func outside(above []string, line string) []string {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	depth := indent(line[1:]) + 1 // for the sign
	for len(above) > 1 && indent(above[len(above)-1]) >= depth {
		above = above[:len(above)-1]
	}
	return above
}
