// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// matcher compares texts with references, one at a time.
type matcher struct {
	// changes are what else stands in the slots of the reference.
	changes []change
	// value is the last one that was made: names come several times in a row.
	value string
}

type change struct {
	slot *slot
	text []byte
}

// match reports whether the first document of a text differs from the reference in
// slots alone, so that the library reads it alike, and makes it the reference then:
// what follows differs from it the least. It returns where the document ends, and how
// much was compared.
func (m *matcher) match(r *reference, text []byte) (end, compared int, ok bool) {
	m.changes = m.changes[:0]
	at, shift := 0, 0 // the position in the reference, and how much farther it is in the text
	next := 0         // the first slot that may be different
	for {
		at += commonPrefix(r.text[at:], text[at+shift:])
		if at == len(r.text) && endsDocument(text, at+shift) {
			m.adopt(r, text[:at+shift])
			return at + shift, at, true
		}
		for next < len(r.slots) && r.slots[next].end < at {
			next++
		}
		if next == len(r.slots) || r.slots[next].start > at {
			return 0, at + shift, false
		}
		s := &r.slots[next]
		next++
		start := s.start + shift
		end, ok := s.style.fill(text, start)
		if !ok || !m.mayBecome(s, text[start:end]) {
			return 0, end, false
		}
		m.changes = append(m.changes, change{s, text[start:end]})
		at, shift = s.end, end-s.end
	}
}

// endsDocument reports whether a document may end there.
func endsDocument(text []byte, at int) bool {
	return at == len(text) || at > 0 && text[at-1] == '\n' && bytes.HasPrefix(text[at:], separator)
}

// mayBecome reports whether the key or value in a slot may become another one; false
// where the library has to say what that means.
func (m *matcher) mayBecome(s *slot, text []byte) bool {
	switch d := s.detail; {
	case d == nil:
		return true
	case d.mapping != nil:
		if d.mapping.keys[string(text)] || identifying[string(text)] || !isText(text) {
			return false
		}
		for _, c := range m.changes {
			if c.slot.detail != nil && c.slot.detail.mapping == d.mapping && bytes.Equal(c.text, text) {
				return false // a duplicate
			}
		}
		return true
	default:
		return (d.uses == nil || s.isVerbatim(text)) && s.allows(text)
	}
}

// adopt makes the text that has matched the reference.
func (m *matcher) adopt(r *reference, text []byte) {
	shift, changes := 0, m.changes
	for i := 0; i < len(r.slots) && (shift != 0 || len(changes) > 0); i++ {
		s := &r.slots[i]
		start := s.start + shift
		if len(changes) > 0 && changes[0].slot == s {
			m.rename(r, s, changes[0].text)
			shift += len(changes[0].text) - (s.end - s.start)
			changes = changes[1:]
		}
		s.start, s.end = start, s.end+shift
	}
	r.text = text
}

// rename has a key or a value of a reference become another one.
func (m *matcher) rename(r *reference, s *slot, text []byte) {
	d := s.detail
	if d == nil {
		return
	}
	if d.mapping != nil {
		delete(d.mapping.keys, string(r.text[s.start:s.end]))
		d.mapping.keys[string(text)] = true
		return
	}
	if d.uses != nil {
		m.value = s.value(text, m.value)
	}
	for _, u := range d.uses {
		if o := &r.objects[u.object]; u.isNamespace {
			o.Namespace = m.value
		} else {
			o.Name = m.value
		}
	}
}

// commonPrefix returns how many bytes two texts have in common at their beginning. It
// compares two words at a time, which is what most of the time goes into.
func commonPrefix(a, b []byte) int {
	const word = 8
	n := min(len(a), len(b))
	at := 0
	for ; at <= n-2*word; at += 2 * word {
		x, y := a[at:at+2*word], b[at:at+2*word]
		if different := binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y); different != 0 {
			return at + bits.TrailingZeros64(different)/word
		}
		if different := binary.LittleEndian.Uint64(x[word:]) ^ binary.LittleEndian.Uint64(y[word:]); different != 0 {
			return at + word + bits.TrailingZeros64(different)/word
		}
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}
