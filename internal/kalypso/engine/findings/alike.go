// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// reader reads files. Of the files that differ in the names of their packages alone, it parses one, as long as nothing is
// wrong with it. The zero value is ready, also for several goroutines.
type reader struct {
	alike sync.Map // from a digest of the text without names to the identities of its objects, also without names
}

// names are those of a package that its files have in them: the namespace consists of both.
type names struct{ target, clusterType string }

// The marks in place of the names.
const targetMark, clusterTypeMark = "\x00t", "\x00c"

func (n names) mark(text string) string {
	return wording.Mark(wording.Mark(text, n.target, targetMark), n.clusterType, clusterTypeMark)
}

func (n names) unmark(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, targetMark, n.target), clusterTypeMark, n.clusterType)
}

// sort returns the names with one letter for all letters and one digit for all digits. Whether a cluster takes a name depends
// on nothing else, unless the name is a word of YAML: sort then returns false.
func (n names) sort() (string, bool) {
	for _, name := range []string{n.target, n.clusterType} {
		if name == "" || !unicode.IsLetter(rune(name[0])) || slices.Contains(wordsOfYAML, strings.ToLower(name)) {
			return "", false
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a'
		case 'A' <= r && r <= 'Z':
			return 'A'
		case '0' <= r && r <= '9':
			return '0'
		}
		return r
	}, n.target+"/"+n.clusterType), true
}

// wordsOfYAML are the names that are not texts without quotes.
var wordsOfYAML = []string{"y", "yes", "on", "true", "n", "no", "off", "false", "null"}

// read returns what is known of the file of a package.
func (r *reader) read(of names, text []byte) *file {
	sort, isText := of.sort()
	if !isText {
		objects, err := readObjects(text)
		return &file{objects, err}
	}
	key := sha256.Sum256([]byte(sort + "\x00" + of.mark(string(text))))
	if known, isKnown := r.alike.Load(key); isKnown {
		f := &file{}
		for _, i := range known.([]Identity) { //nolint:errcheck // read stores no other type
			f.objects = append(f.objects, object{Identity: Identity{of.unmark(i.Resource), of.unmark(i.Namespace), of.unmark(i.Name)}})
		}
		return f
	}
	objects, err := readObjects(text)
	if err == nil && !slices.ContainsFunc(objects, object.isWrong) {
		marked := make([]Identity, len(objects))
		for i, o := range objects {
			marked[i] = Identity{of.mark(o.Resource), of.mark(o.Namespace), of.mark(o.Name)}
		}
		r.alike.Store(key, marked)
	}
	return &file{objects, err}
}

// isWrong reports whether an object has a fault of its own.
func (o object) isWrong() bool { return o.missing != "" || o.isPlainSecret || len(o.refusals) > 0 }
