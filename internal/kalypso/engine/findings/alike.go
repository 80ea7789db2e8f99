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

// Names are those of a package that its files have in them: the namespace consists of both.
type Names struct{ Target, ClusterType string }

// The marks in place of the names.
const targetMark, clusterTypeMark = "\x00t", "\x00c"

// Mark returns a text with marks in place of the names. Unmark is its inverse.
func (n Names) Mark(text string) string {
	return wording.Mark(wording.Mark(text, n.Target, targetMark), n.ClusterType, clusterTypeMark)
}

// Unmark returns a marked text with the names.
func (n Names) Unmark(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, targetMark, n.Target), clusterTypeMark, n.ClusterType)
}

// shape returns the names with one letter for all letters and one digit for all digits. Whether a cluster takes a name depends
// on nothing else, unless the name is a word of YAML: shape then returns false.
func (n Names) shape() (string, bool) {
	for _, name := range []string{n.Target, n.ClusterType} {
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
	}, n.Target+"/"+n.ClusterType), true
}

// wordsOfYAML are the names that are not texts without quotes.
var wordsOfYAML = []string{"y", "yes", "on", "true", "n", "no", "off", "false", "null"}

func (r *reader) read(of Names, text []byte) *file {
	shape, isText := of.shape()
	if !isText {
		return readFile(text)
	}
	key := sha256.Sum256([]byte(shape + "\x00" + of.Mark(string(text))))
	if known, isKnown := r.alike.Load(key); isKnown {
		f := &file{}
		for _, i := range known.([]Identity) { //nolint:errcheck // read stores no other type
			f.objects = append(f.objects, object{Identity: Identity{of.Unmark(i.Resource), of.Unmark(i.Namespace), of.Unmark(i.Name)}})
		}
		return f
	}
	f := readFile(text)
	if f.err == nil && !slices.ContainsFunc(f.objects, object.isWrong) {
		marked := make([]Identity, len(f.objects))
		for i, o := range f.objects {
			marked[i] = Identity{of.Mark(o.Resource), of.Mark(o.Namespace), of.Mark(o.Name)}
		}
		r.alike.Store(key, marked)
	}
	return f
}

func readFile(text []byte) *file {
	objects, err := readObjects(text)
	return &file{objects, err}
}

// isWrong reports whether an object has a fault of its own.
func (o object) isWrong() bool { return o.missing != "" || o.isPlainSecret || len(o.refusals) > 0 }
