// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/mitchellh/hashstructure"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// newLanguage returns the language of Kalypso's templates: its data, and its functions
// besides Sprig's. toYaml, stringify and hash run once for each configuration in known.
func newLanguage(known *configs) *sandbox.Language {
	return sandbox.NewLanguage(data{}, template.FuncMap{
		"toYaml":    known.toYAML,
		"hash":      known.hash,
		"stringify": known.stringify,
		"toString":  toString,
		"unquote":   unquote,
		"raw":       raw,
		"get":       get,
		"dig":       dig,
	})
}

// rawBraces are in the place of the braces in a text that is not rendered again.
const rawBraces = "⦃⦃⦄"

// raw returns a text whose braces are not rendered again.
func raw(text string) string { return strings.ReplaceAll(text, "{{", rawBraces) }

// get is Sprig's, except that a missing label has no value.
func get(from any, key string) (any, error) {
	switch m := from.(type) {
	case labels:
		return m[key], nil
	case map[string]any:
		if value, ok := m[key]; ok {
			return value, nil
		}
		return "", nil
	default:
		return nil, fmt.Errorf("it reads from a map, not from a %T", from)
	}
}

// dig is Sprig's, which does not know labels.
func dig(keys ...any) (any, error) {
	if last := len(keys) - 1; last >= 0 {
		if of, ok := keys[last].(labels); ok {
			keys[last] = map[string]any(of)
		}
	}
	return sprigDig(keys...)
}

func (known *configs) toYAML(v any) (string, error) {
	if v == nil {
		return "", errMissing
	}
	if c, ok := known.find(v); ok {
		return c.yaml()
	}
	return marshalYAML(v)
}

// toString is Sprig's, except that it refuses a value that does not exist.
func toString(v any) (string, error) {
	if v == nil {
		return "", errMissing
	}
	return sprigToString(v), nil
}

//nolint:errcheck,forcetypeassert // a new Sprig that changes the types fails every test.
var (
	sprigToString = sprig.TxtFuncMap()["toString"].(func(any) string)
	sprigDig      = sprig.TxtFuncMap()["dig"].(func(...any) (any, error))
)

// errMissing says about the argument of a function what missing says about the output.
var errMissing = errors.New("the value does not exist, or is null. Use default, or set the value")

func (known *configs) hash(v any) (string, error) {
	if c, ok := known.find(v); ok {
		return c.hash()
	}
	return hashOf(v)
}

// marshalYAML writes a value like Kalypso: indented by four spaces, without a newline at the
// end.
func marshalYAML(v any) (string, error) {
	text, err := yaml.Marshal(v)
	return string(bytes.TrimSuffix(text, []byte("\n"))), err
}

// hashOf returns Kalypso's hash of a value in decimal.
func hashOf(v any) (string, error) {
	hash, err := hashstructure.Hash(v, nil)
	return strconv.FormatUint(hash, 10), err
}

func (known *configs) stringify(v any) (string, error) {
	if c, ok := known.find(v); ok {
		return c.stringified()
	}
	return stringify(v)
}

// stringify writes a value like toYaml, including null. Lists and maps in a map become YAML
// text, which keeps its last line break.
func stringify(v any) (string, error) {
	var err error
	switch m := v.(type) {
	case map[string]any:
		v, err = withTexts(m)
	case map[any]any:
		v, err = withTexts(m)
	}
	if err != nil {
		return "", err
	}
	return marshalYAML(v)
}

func withTexts[K comparable](m map[K]any) (map[K]any, error) {
	result := make(map[K]any, len(m))
	for key, value := range m {
		result[key] = value
		switch reflect.ValueOf(value).Kind() {
		case reflect.Slice, reflect.Map:
			text, err := yaml.Marshal(value)
			if err != nil {
				return nil, err
			}
			result[key] = string(text)
		default:
		}
	}
	return result, nil
}

// textOf returns a scalar as its text, and any other value as YAML.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return sandbox.NoValue, nil // an error, as in all other output
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v), nil
	}
	return marshalYAML(v)
}

// unquote removes white space, then double quotes, then single quotes from both ends of a
// text. For any other value, including a missing one, it returns "".
func unquote(v any) string {
	text, _ := v.(string)
	return strings.Trim(strings.Trim(strings.TrimSpace(text), `"`), "'")
}
