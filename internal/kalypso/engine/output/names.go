// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Names returns the identities of the objects of a YAML stream, from their first lines
// alone. It takes a fraction of the time of Read. It is not ok if these lines are not
// written as most templates write them, or if the stream has a List or a Secret: then the
// caller needs Read. The result is not certain, so a caller that finds something by it
// asks Read.
func Names(text []byte) (objects []Identity, ok bool) {
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		document = bytes.TrimPrefix(document, []byte("---\n"))
		o, ok := nameOf(document)
		if !ok {
			return nil, false
		}
		if o.APIVersion+o.Kind+o.Name+o.Namespace != "" {
			objects = append(objects, o)
		}
	}
	return objects, true
}

// nameOf returns the identity of the object of a document in block style or in JSON. It is
// empty if there is only space and comments.
func nameOf(document []byte) (o Identity, ok bool) {
	if bytes.HasPrefix(document, []byte("{")) {
		return nameInJSON(document)
	}
	around, margin := "", 0 // the key at the left, and where what it holds begins
	for line := range bytes.SplitSeq(document, []byte("\n")) {
		content := bytes.TrimLeft(line, " ")
		indent := len(line) - len(content)
		content = bytes.TrimSpace(content)
		switch {
		case len(content) == 0 || content[0] == '#':
			continue
		case indent > 0 && (around != "metadata" || margin > 0 && indent > margin), around != "" && content[0] == '-':
			continue // what another key holds
		}
		key, value, isPair := pairOf(content)
		if !isPair {
			return o, false
		}
		if indent > 0 {
			margin = indent
			key = "metadata." + key
		} else {
			around, margin = key, 0
		}
		if !o.set(key, value) {
			return o, false
		}
	}
	return o.complete()
}

// pairOf returns a simple key and its value, without quotes and without a comment.
func pairOf(line []byte) (key string, value []byte, ok bool) {
	before, value, ok := bytes.Cut(line, []byte(":"))
	before = bytes.Trim(before, `"'`)
	if !ok || !isWord(before) {
		return "", nil, false
	}
	if comment := bytes.Index(value, []byte(" #")); comment >= 0 {
		value = value[:comment]
	}
	value = bytes.TrimSpace(value)
	if end := len(value) - 1; end > 0 && (value[0] == '"' || value[0] == '\'') && value[0] == value[end] {
		value = value[1:end]
	}
	return string(before), value, true
}

// set sets the field of the identity that a key belongs to. It is not ok if the value is
// not a word.
func (o *Identity) set(key string, value []byte) bool {
	var into *string
	switch key {
	case "apiVersion":
		into = &o.APIVersion
	case "kind":
		into = &o.Kind
	case "metadata.name":
		into = &o.Name
	case "metadata.namespace":
		into = &o.Namespace
	case "metadata":
		return len(value) == 0 || o.setMetadata(value)
	default:
		return true
	}
	*into = string(value)
	return isWord(value)
}

// setMetadata sets the fields from metadata in braces. It is not ok if there are quotes,
// or if the braces end in another line.
func (o *Identity) setMetadata(braces []byte) bool {
	if len(braces) < 2 || braces[0] != '{' || braces[len(braces)-1] != '}' {
		return false
	}
	depth, from := 0, 1
	for at, c := range braces {
		switch c {
		case '"', '\'':
			return false
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		}
		if ends := c == ',' && depth == 1 || depth == 0; !ends {
			continue
		}
		if key, value, isPair := pairOf(bytes.TrimSpace(braces[from:at])); isPair && !o.set("metadata."+key, value) {
			return false
		}
		from = at + 1
	}
	return depth == 0
}

func nameInJSON(document []byte) (o Identity, ok bool) {
	var object struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
	}
	if err := json.Unmarshal(document, &object); err != nil {
		return o, false
	}
	o = Identity{APIVersion: object.APIVersion, Kind: object.Kind, Name: object.Metadata.Name, Namespace: object.Metadata.Namespace}
	return o.complete()
}

// complete returns the identity with its resource. It is not ok if only Read can find the
// rest.
func (o Identity) complete() (Identity, bool) {
	o.Resource = resourceOf(o.APIVersion, o.Kind)
	return o, o.Kind != "Secret" && !strings.HasSuffix(o.Kind, "List")
}

// isWord reports whether a text is the same in YAML, in every place.
func isWord[T string | []byte](text T) bool {
	for i := range len(text) {
		if !isWordByte(text[i]) {
			return false
		}
	}
	return len(text) > 0 && isAlphanumeric(text[0])
}

func isWordByte(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-_./", c) >= 0 }

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
