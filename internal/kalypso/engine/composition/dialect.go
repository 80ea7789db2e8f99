// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// The drafts of JSON Schema that Kalypso's validator knows. A schema that names none of them
// may use all of them.
const (
	draft4 = 4
	draft6 = 6
	draft7 = 7
	hybrid = 8
)

var drafts = map[string]int{
	"http://json-schema.org/draft-04/schema": draft4,
	"http://json-schema.org/draft-06/schema": draft6,
	"http://json-schema.org/draft-07/schema": draft7,
}

// dialect rewrites a schema into draft 7 with its meaning for Kalypso's validator
// (docs/guides/semantics.md, section 3.6). It records the keywords that this validator
// ignores.
type dialect struct {
	draft int
	// ids are the ids of the schemas so far.
	ids map[string]bool
	// ignored are the keywords that are not enforced.
	ignored []ignored
	// idle is above 0 below an unknown keyword. Nothing is enforced there, but references may
	// lead there.
	idle int
	// apart is above 0 within $defs, where Kalypso's validator reads only definitions that a
	// reference names.
	apart int
}

// ignored is a keyword that is not enforced.
type ignored struct {
	// path is the JSON pointer to the keyword.
	path string
	// meant is the keyword that the author probably meant; "" if the keyword is not
	// misspelled.
	meant string
}

// Sorts of keywords, by their values.
const (
	oneSchema = iota + 1
	schemaOrList
	listOfSchemas
	mapOfSchemas
	schemasOrTexts // a map of schemas or lists of names
	plain
	annotation // has no effect, with any value
	newer      // of drafts that the validator does not know
)

// keywords are the keywords that restrict a value, including those of newer drafts. Others
// stay unchanged, because references may lead into them.
var keywords = map[string]int{
	"additionalItems": oneSchema, "additionalProperties": oneSchema, "contains": oneSchema, "propertyNames": oneSchema,
	"not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema,
	"items": schemaOrList,
	"allOf": listOfSchemas, "anyOf": listOfSchemas, "oneOf": listOfSchemas,
	"properties": mapOfSchemas, "patternProperties": mapOfSchemas,
	"dependencies": schemasOrTexts,

	"type": plain, "enum": plain, "const": plain, "format": plain, "pattern": plain,
	"multipleOf": plain, "minimum": plain, "maximum": plain, "exclusiveMinimum": plain, "exclusiveMaximum": plain,
	"minLength": plain, "maxLength": plain, "minItems": plain, "maxItems": plain, "uniqueItems": plain,
	"minProperties": plain, "maxProperties": plain, "required": plain,

	"$comment": annotation, "examples": annotation, "readOnly": annotation, "writeOnly": annotation,
	"contentEncoding": annotation, "contentMediaType": annotation,

	"prefixItems": newer, "minContains": newer, "maxContains": newer, "unevaluatedItems": newer, "unevaluatedProperties": newer,
	"dependentRequired": newer, "dependentSchemas": newer, "$dynamicRef": newer, "$recursiveRef": newer,
}

// since are the keywords that are newer than draft 4.
var since = map[string]int{"const": draft6, "contains": draft6, "propertyNames": draft6, "if": draft7, "then": draft7, "else": draft7}

// translate rewrites a schema in place and returns the keywords that are not enforced,
// sorted. Errors: everything that Kalypso's validator refuses and draft 7 does not.
func translate(document any) ([]ignored, error) {
	d := dialect{draft: hybrid, ids: map[string]bool{}}
	if root, isObject := document.(map[string]any); isObject {
		named, isText := root["$schema"].(string)
		if _, given := root["$schema"]; given && !isText {
			return nil, errors.New("$schema is not a text. Name a draft, or leave it out")
		}
		if draft, known := drafts[strings.TrimSuffix(named, "#")]; known {
			d.draft = draft
		}
	}
	err := d.schema(document, "")
	slices.SortFunc(d.ignored, func(a, b ignored) int { return strings.Compare(a.path, b.path) })
	return d.ignored, err
}

// schema rewrites the schema at a place.
func (d *dialect) schema(v any, at string) error {
	if _, isBool := v.(bool); isBool && d.draft == draft4 {
		return d.fault(at, `draft 4 does not accept true and false as schemas. Write {}, or {"not": {}}`)
	}
	m, isObject := v.(map[string]any)
	if !isObject {
		return nil // the rules of JSON Schema report an invalid one
	}
	delete(m, "$schema")
	if _, given := m["id"].(string); given && (d.draft == draft4 || d.draft == hybrid) {
		m["$id"] = m["id"]
		delete(m, "id")
	}
	if id, given := m["$id"].(string); given {
		if d.ids[id] {
			delete(m, "$id") // the first $id counts
		}
		d.ids[id] = true
	}
	_, refers := m["$ref"].(string)
	if !refers {
		if err := d.bounds(m, at); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := d.keyword(m, key, at+"/"+escape(key), refers); err != nil {
			return err
		}
	}
	if items, isList := m["items"].([]any); isList && len(items) == 0 {
		delete(m, "items")
		delete(m, "additionalItems")
	}
	return nil
}

// keyword rewrites the value of a keyword, or removes the keyword.
func (d *dialect) keyword(m map[string]any, key, at string, besideRef bool) error {
	sort := keywords[key]
	if meant := misspelled(key, m[key]); meant != "" {
		d.ignore(at, meant) // its value stays: references may lead into it
	}
	switch {
	case sort == annotation:
		delete(m, key)
		return nil
	case sort == newer:
		d.ignore(at, "")
		return nil
	case since[key] > d.draft:
		d.ignore(at, "")
		delete(m, key)
		return nil
	case besideRef && sort != 0:
		d.ignore(at, "")
		delete(m, key)
		return nil
	case key == "format" && m[key] == "regex":
		m[key] = formatRegex
		return nil
	}
	switch value := m[key].(type) {
	case bool:
		if sort == oneSchema && !strings.HasPrefix(key, "additional") || sort == schemaOrList {
			return d.schema(value, at)
		}
	case map[string]any:
		switch {
		case sort == mapOfSchemas, sort == schemasOrTexts, key == "definitions":
			return d.schemas(value, at)
		case key == "$defs":
			d.apart++
			defer func() { d.apart-- }()
			return d.schemas(value, at)
		case sort == plain, key == "default":
			return nil
		case sort == 0:
			d.idle++
			defer func() { d.idle-- }()
		}
		return d.schema(value, at)
	case []any:
		return d.list(m, key, value, at)
	}
	return nil
}

// list rewrites a list of schemas. Empty lists have no effect, though draft 7 forbids them.
func (d *dialect) list(m map[string]any, key string, list []any, at string) error {
	if len(list) == 0 && (keywords[key] == listOfSchemas || key == "enum" || key == "type") {
		delete(m, key)
	}
	if keywords[key] != listOfSchemas && keywords[key] != schemaOrList {
		return nil
	}
	for i, v := range list {
		if err := d.schema(v, at+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// schemas rewrites the schemas in a map. Other values of the map stay.
func (d *dialect) schemas(m map[string]any, at string) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if err := d.schema(m[key], at+"/"+escape(key)); err != nil {
			return err
		}
	}
	return nil
}

// bounds writes {minimum: 1, exclusiveMinimum: true} in the form of later drafts.
func (d *dialect) bounds(m map[string]any, at string) error {
	for _, bound := range []struct{ name, exclusive string }{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		exclusive, given := m[bound.exclusive]
		excludes, isBool := exclusive.(bool)
		limit, limited := m[bound.name]
		switch {
		case !given, d.draft == draft6, d.draft == draft7:
			continue
		case !isBool && d.draft == draft4:
			if err := d.fault(at+"/"+bound.exclusive, "draft 4 accepts only true or false here, beside "+bound.name); err != nil {
				return err
			}
			continue
		case !isBool:
			continue
		case !limited:
			if err := d.fault(at+"/"+bound.exclusive, bound.exclusive+" has no effect without "+bound.name); err != nil {
				return err
			}
			continue
		}
		delete(m, bound.exclusive)
		if excludes {
			m[bound.exclusive] = limit
			delete(m, bound.name)
		}
	}
	return nil
}

// ignore records a keyword that would be enforced at this position, or the keyword that the
// author probably meant.
func (d *dialect) ignore(at, meant string) {
	if d.idle == 0 {
		d.ignored = append(d.ignored, ignored{at, meant})
	}
}

// fault returns an error if the mistake would be enforced.
func (d *dialect) fault(at, text string) error {
	if d.idle > 0 || d.apart > 0 {
		return nil
	}
	return fmt.Errorf("the schema breaks the rules of JSON Schema: at %s: %s", at, text)
}

// escape writes a key in the form of a JSON pointer.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// meantKeywords are the keywords that a misspelled keyword can stand for, sorted. They
// restrict values, so a schema that misspells one accepts more values than intended. Or they
// are definitions, to which references lead.
var meantKeywords = func() []string {
	const short = 4 // shorter keywords are near to every word
	all := append(slices.Collect(maps.Keys(keywords)), "definitions")
	all = slices.DeleteFunc(all, func(key string) bool { return keywords[key] == annotation || len(key) < short })
	slices.Sort(all)
	return all
}()

// ownWords are similar to a keyword, but schemas use them with another meaning.
var ownWords = []string{"container", "containers", "definition", "formats", "multiple", "patterns", "propertyName", "requiredBy",
	"requiredIf"}

// misspelled returns the keyword that the author of a key and its value probably meant. It
// returns "" if the key is a keyword, or a word of the author's own. JSON Schema allows any
// word, so this compares more strictly than wording.Nearest.
func misspelled(key string, value any) string {
	if target, isText := value.(string); isText && key == "ref" && strings.HasPrefix(target, "#") {
		return "$ref"
	}
	if keywords[key] != 0 || key == "" || slices.Contains(ownWords, key) || strings.HasPrefix(key, "x-") ||
		strings.ContainsAny(key[:1], "$_#/") {
		return ""
	}
	meant := wording.Nearest(key, meantKeywords)
	if meant == key || meant == "" || !isNear(strings.ToLower(key), strings.ToLower(meant)) {
		return ""
	}
	return meant
}

// isNear reports whether the word is probably the keyword: two neighbouring letters are
// swapped, or few letters are wrong for a word of this length.
func isNear(word, keyword string) bool {
	wrong := wording.Distance(word, keyword)
	switch shorter := min(len(word), len(keyword)); {
	case wrong == 0 || areSwapped(word, keyword):
		return true
	case shorter <= 5:
		return false
	case shorter <= 7:
		return wrong == 1
	default:
		return wrong <= 2
	}
}

// areSwapped reports whether a swap of two neighbouring letters makes one word the other:
// "tpye".
func areSwapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
