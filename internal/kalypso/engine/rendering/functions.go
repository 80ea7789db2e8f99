// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/mitchellh/hashstructure"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// newLanguage returns the language of Kalypso's templates: its data and its
// functions beside Sprig's. toYaml and hash of the configurations in known are
// worked out once.
func newLanguage(known *configs) *sandbox.Language {
	return sandbox.NewLanguage(data{}, template.FuncMap{
		"toYaml":    known.toYAML,
		"hash":      known.hash,
		"stringify": stringify,
		"unquote":   unquote,
	})
}

// toYAML is the template function toYaml.
func (known *configs) toYAML(v any) (string, error) {
	if c, ok := known.find(v); ok {
		return c.yaml()
	}
	return marshalYAML(v)
}

// hash is the template function hash.
func (known *configs) hash(v any) (string, error) {
	if c, ok := known.find(v); ok {
		return c.hash()
	}
	return hashOf(v)
}

// marshalYAML writes a value as Kalypso does: indented by four spaces, without
// a newline at the end.
func marshalYAML(v any) (string, error) {
	text, err := yaml.Marshal(v)
	return string(bytes.TrimSuffix(text, []byte("\n"))), err
}

// hashOf returns Kalypso's hash of a value in decimal.
func hashOf(v any) (string, error) {
	hash, err := hashstructure.Hash(v, nil)
	return strconv.FormatUint(hash, 10), err
}

// stringify makes the values of a map, or else the value itself, into texts:
// lists and maps into YAML.
func stringify(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		return stringifyMap(v)
	case map[any]any:
		return stringifyMap(v)
	case map[string]string:
		return v, nil
	}
	return textOf(v)
}

func stringifyMap[K comparable](m map[K]any) (map[K]any, error) {
	result := make(map[K]any, len(m))
	for key, value := range m {
		text, err := textOf(value)
		if err != nil {
			return nil, err
		}
		result[key] = text
	}
	return result, nil
}

// textOf returns a scalar as its text, anything else as YAML.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "<no value>", nil // an error, as everywhere else where it is written
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v), nil
	}
	return marshalYAML(v)
}

// unquote takes white space, then double, then single quotes off both ends.
func unquote(s string) string {
	return strings.Trim(strings.Trim(strings.TrimSpace(s), `"`), "'")
}
