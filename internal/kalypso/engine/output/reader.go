// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// Reader reads the files that one template renders. They differ in little else than
// names, so the YAML library reads few of their documents, and the others are compared
// with those (see reference). The zero Reader is ready.
type Reader struct {
	// Schemas check the objects; nil where nothing does.
	Schemas *apischema.Schemas
	// shelves have the references for the first document of a file, for the second, …
	shelves []shelf
	// slots is how many slots all references have.
	slots   int
	matcher matcher
	objects []Identity
}

// shelf has the references for the documents that stand at one position in their files.
type shelf struct {
	known []*reference
	last  int // the position of the one that matched last
	// misses counts the documents that matched none since there is no room.
	misses int
}

const (
	// maxKnown and maxSlots are how much there is at most: references on a shelf, and
	// slots in all. Then a new reference takes the place of another one, after renewal
	// misses: where each document is another one, most references are of no use.
	maxKnown = 256
	maxSlots = 1 << 17
	renewal  = 16
	// maxCompared bounds how much is compared in search of a reference, in lengths of
	// the document, where costOfOne is what each costs at least: to do it in vain adds
	// some hundredths to reading.
	maxCompared = 8
	costOfOne   = 128
)

// separator ends a document wherever it stands at the beginning of a line, where
// there are no directives: a stream that is valid in pieces is valid as a whole, and
// holds the same objects.
var separator, lineBeforeSeparator = []byte("---\n"), []byte("\n---\n")

// version is the one directive that templates write. It says nothing.
var version = []byte("%YAML 1.1\n---\n")

// Objects returns the objects of a YAML stream, until the next call; a document that
// is no mapping is an object without anything, and the items of a List count as
// objects. Errors: text that is not valid YAML, duplicate keys included; ErrTooLarge. Cost:
// most of the time that of a comparison of texts.
func (r *Reader) Objects(text []byte) ([]Identity, error) {
	r.objects = r.objects[:0]
	rest := bytes.TrimPrefix(text, version)
	for number := 0; len(rest) > 0; number++ {
		if number == len(r.shelves) {
			r.shelves = append(r.shelves, shelf{})
		}
		s := &r.shelves[number]
		end, ok := r.guess(s, rest)
		if !ok {
			document := cutDocument(rest)
			end = len(document)
			if !isCommon(document) || r.read(s, document) != nil {
				return r.readWhole(text)
			}
		}
		rest = bytes.TrimPrefix(rest[end:], separator)
	}
	return r.objects, nil
}

// readWhole returns the objects of a stream as the library has them: what is odd in a
// part may be another thing in the whole.
func (r *Reader) readWhole(text []byte) ([]Identity, error) {
	c, err := parse(text, r.Schemas)
	if err != nil {
		return nil, err
	}
	return c.objects, nil
}

// isCommon reports whether what stands where in a text is what it looks like: it is in
// UTF-8, without byte order marks, its lines end in LF or CRLF, and none begins like a
// directive.
func isCommon(text []byte) bool {
	for _, odd := range []string{"\n%", "\u0085", "\u2028", "\u2029", "\uFEFF"} {
		if bytes.Contains(text, []byte(odd)) {
			return false
		}
	}
	return !bytes.HasPrefix(text, []byte("%")) && utf8.Valid(text) &&
		bytes.Count(text, []byte("\r")) == bytes.Count(text, []byte("\r\n"))
}

// cutDocument returns what stands in front of the first separator.
func cutDocument(text []byte) []byte {
	if length := bytes.Index(text, lineBeforeSeparator); length >= 0 {
		return text[:length+1]
	}
	return text
}

// guess adds the objects of the first document of a text if it matches the reference
// that matched last, or the one that came next. It returns where the document ends.
func (r *Reader) guess(s *shelf, text []byte) (end int, ok bool) {
	last := s.last
	for i := range min(2, len(s.known)) {
		if end, _, ok = r.match(s, (last+i)%len(s.known), text); ok {
			return end, true
		}
	}
	return 0, false
}

// match adds the objects of the first document of a text if it matches the reference
// at a position. It returns where the document ends, and how much was compared.
func (r *Reader) match(s *shelf, position int, text []byte) (end, compared int, ok bool) {
	end, compared, ok = r.matcher.match(s.known[position], text)
	if ok {
		r.objects = append(r.objects, s.known[position].objects...)
		s.last = position
	}
	return end, compared, ok
}

// read adds the objects of a document that does not match what was guessed: by another
// reference, or else by the library.
func (r *Reader) read(s *shelf, document []byte) error {
	look := looksOf(document)
	if r.search(s, document, look) {
		return nil
	}
	c, err := parse(document, r.Schemas)
	if err != nil {
		return err
	}
	r.objects = append(r.objects, c.objects...)
	isFull := len(s.known) == maxKnown || r.slots >= maxSlots
	if isFull {
		if s.misses++; s.misses%renewal != 0 {
			return nil
		}
	}
	if reference, ok := newReference(document, c); ok {
		reference.looks = look
		r.add(s, reference, isFull)
	}
	return nil
}

// search adds the objects of a document that matches a reference: first are those that
// look like it.
func (r *Reader) search(s *shelf, document []byte, look looks) bool {
	left := maxCompared * len(document)
	for _, isAlike := range []bool{true, false} {
		for i, reference := range s.known {
			if (reference.looks == look) != isAlike {
				continue
			}
			if left <= 0 {
				return false
			}
			_, compared, ok := r.match(s, i, document)
			if ok {
				return true
			}
			left -= costOfOne + compared
		}
	}
	return false
}

// add puts a reference on a shelf, if it is full in place of another one.
func (r *Reader) add(s *shelf, reference *reference, isFull bool) {
	if s.last++; !isFull || len(s.known) == 0 {
		s.last = len(s.known)
		s.known = append(s.known, nil)
	}
	s.last %= len(s.known)
	if replaced := s.known[s.last]; replaced != nil {
		r.slots -= len(replaced.slots)
	}
	r.slots += len(reference.slots)
	s.known[s.last] = reference
}

// looks are what documents that match share mostly, and others mostly do not.
type looks struct{ lines, colons int }

func looksOf(document []byte) looks {
	return looks{bytes.Count(document, []byte("\n")), bytes.Count(document, []byte(":"))}
}
