// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	yamlv1 "go.yaml.in/yaml/v2" // reads YAML 1.1, as Kalypso does
)

// decode reads the text of a ConfigMap's value (docs/guides/semantics.md, section 3.3). It
// returns the text inside single quotes, and a YAML list or map as a structure. It returns
// everything else as raw text, including invalid YAML.
func decode(text string) any {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "'") && strings.HasSuffix(trimmed, "'") {
		return strings.Trim(trimmed, "'")
	}
	if structure, ok := decodeStructure(text); ok {
		return structure
	}
	return text
}

// decodeStructure reads a text that is one YAML document, a list or a map. Kalypso cuts a text after
// its first YAML node. Here, a longer text such as an INI file stays whole.
func decodeStructure(text string) (structure any, ok bool) {
	// The YAML library panics on some malformed documents. They stay text, like all documents that
	// the library refuses.
	defer func() {
		if recover() != nil {
			structure, ok = nil, false
		}
	}()
	var decoded, more any
	decoder := yamlv1.NewDecoder(strings.NewReader(text))
	if decoder.Decode(&decoded) != nil || !errors.Is(decoder.Decode(&more), io.EOF) {
		return nil, false
	}
	switch decoded.(type) {
	case []any, map[any]any:
		return withStringKeys(decoded)
	}
	return nil, false
}

// withStringKeys converts maps whose keys are all strings to map[string]any, the type that
// template functions for dictionaries take. It refuses a map with the key NaN, which equals
// no key: such a map cannot be merged, or written in a fixed order.
func withStringKeys(v any) (converted any, ok bool) {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			if list[i], ok = withStringKeys(element); !ok {
				return nil, false
			}
		}
		return list, true
	case map[any]any:
		byString, byAny := make(map[string]any, len(v)), make(map[any]any, len(v))
		for key, value := range v {
			if number, isFloat := key.(float64); isFloat && math.IsNaN(number) {
				return nil, false
			}
			if value, ok = withStringKeys(value); !ok {
				return nil, false
			}
			byAny[key] = value
			if name, isString := key.(string); isString {
				byString[name] = value
			}
		}
		if len(byString) == len(byAny) {
			return byString, true
		}
		return byAny, true
	}
	return v, true
}

// newInstance returns a configuration in the form of JSON (docs/guides/semantics.md, section 3.6).
// Top-level strings that read as numbers are numbers.
func newInstance(values map[string]any) map[string]any {
	instance := make(map[string]any, len(values))
	for key, value := range values {
		instance[key] = inJSON(value)
		if text, isText := value.(string); isText {
			number := inJSON(numberOr(text))
			if _, isNoNumber := number.(string); !isNoNumber {
				instance[key] = number
			}
		}
	}
	return instance
}

// numberOr returns the number that the text reads as, or otherwise the text.
func numberOr(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// inJSON returns a value in the form of JSON: keys are strings, numbers are int64 or float64 where they
// fit, and numbers that JSON lacks (infinities and NaN) are text.
func inJSON(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = inJSON(element)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			object[key] = inJSON(value)
		}
		return object
	case map[any]any:
		object := make(map[string]any, len(v))
		for _, key := range sortedKeys(v) {
			object[fmt.Sprint(key)] = inJSON(v[key])
		}
		return object
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64() // infinite if the number is too large
		return inJSON(n)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Sprint(v)
		}
	}
	return v
}
