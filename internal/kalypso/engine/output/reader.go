// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"slices"
)

// Reader reads the files that one template renders. They differ in little else than
// names, so the YAML library reads a document or two, and the others are compared
// with those (see reference). The zero Reader is ready.
type Reader struct {
	// known are the references in the order in which documents came, and expected is
	// the position behind the one that matched last.
	known    []*reference
	expected int
	// misses counts the documents that matched none since there is no room.
	misses  int
	matcher matcher
	objects []Object
}

const (
	// maxKnown is how many references there are at most, and renewal how many misses
	// it takes for a new one then.
	maxKnown = 256
	renewal  = 16
	// maxCompared bounds how much is compared in search of a reference, in lengths of
	// the document, where costOfOne is what each costs at least: to do it in vain adds
	// some hundredths to reading.
	maxCompared = 8
	costOfOne   = 128
)

// separator ends a document wherever it stands at the beginning of a line, save
// behind directives: a stream that is valid in pieces is valid as a whole, and holds
// the same objects.
var separator, lineBeforeSeparator = []byte("---\n"), []byte("\n---\n")

// Objects returns the objects of a YAML stream, until the next call; a document that
// is no mapping is an object without anything, and the items of a List count as
// objects. Errors: text that is not valid YAML, duplicate keys included. Cost: most
// of the time that of a comparison of texts.
func (r *Reader) Objects(text []byte) ([]Object, error) {
	r.objects = r.objects[:0]
	for rest := text; len(rest) > 0; {
		end, _, ok := r.match(0, rest)
		if !ok {
			document := cutDocument(rest)
			end = len(document)
			err := r.read(document)
			if isPart := end < len(text); isPart && (err != nil || hasByteOrderMark(document)) {
				_, objects, err := parse(text) // what is odd in a part may be another thing in the whole
				return objects, err
			}
			if err != nil {
				return nil, err
			}
		}
		rest = bytes.TrimPrefix(rest[end:], separator)
	}
	return r.objects, nil
}

// cutDocument returns what stands in front of the first separator.
func cutDocument(text []byte) []byte {
	for end := 0; ; {
		next := bytes.Index(text[end:], lineBeforeSeparator)
		if next < 0 {
			return text
		}
		start := bytes.LastIndexByte(text[:end+next], '\n') + 1
		end += next + 1
		if text[start] != '%' {
			return text[:end]
		}
	}
}

// hasByteOrderMark reports whether a text is in UTF-16, or has a mark somewhere.
func hasByteOrderMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xFE\xFF")) || bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.Contains(text, []byte("\uFEFF"))
}

// match compares a text with the reference at a position, counted from the expected
// one on, and adds the objects of its first document where that matches.
func (r *Reader) match(position int, text []byte) (end, compared int, ok bool) {
	if len(r.known) == 0 {
		return 0, 0, false
	}
	position = (r.expected + position) % len(r.known)
	end, compared, ok = r.matcher.match(r.known[position], text)
	if ok {
		r.objects = append(r.objects, r.known[position].objects...)
		r.expected = position + 1
	}
	return end, compared, ok
}

// read adds the objects of a document that does not match the expected reference: by
// another one, or else by the library.
func (r *Reader) read(document []byte) error {
	look := looksOf(document)
	if r.search(document, look) {
		return nil
	}
	documents, objects, err := parse(document)
	if err != nil {
		return err
	}
	r.objects = append(r.objects, objects...)
	if len(r.known) == maxKnown {
		if r.misses++; r.misses%renewal != 0 {
			return nil // where each document is another one, most references are of no use
		}
	}
	if reference, ok := newReference(document, documents, objects); ok {
		reference.looks = look
		r.add(reference)
	}
	return nil
}

// search looks for a reference that a document matches: first among those that look
// like it, and then among those that follow the expected one.
func (r *Reader) search(document []byte, look looks) bool {
	left := maxCompared * len(document)
	for _, isAlike := range []bool{true, false} {
		for i := 1; i < len(r.known) && left > 0; i++ {
			if (r.known[(r.expected+i)%len(r.known)].looks == look) != isAlike {
				continue
			}
			_, compared, ok := r.match(i, document)
			if ok {
				return true
			}
			left -= costOfOne + compared
		}
	}
	return false
}

// looks are what documents that match mostly share, and others mostly do not.
type looks struct{ lines, colons int }

func looksOf(document []byte) looks {
	return looks{bytes.Count(document, []byte("\n")), bytes.Count(document, []byte(":"))}
}

// add puts a reference where it was expected: documents come in the same order again.
func (r *Reader) add(reference *reference) {
	if len(r.known) < maxKnown {
		r.known = slices.Insert(r.known, r.expected, reference)
	} else {
		r.expected %= maxKnown
		r.known[r.expected] = reference
	}
	r.expected++
}
