// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/mitchellh/hashstructure"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// ownFunctions are those beside Sprig's, or in their place. toYaml and hash,
// which know the shared configuration, are methods of the meter.
var ownFunctions = template.FuncMap{
	"stringify": stringify,
	"unquote":   unquote,
	"keys":      sortedKeys,
	"values":    sortedValues,

	// Those of text/template, so that they are guarded too.
	"print":    fmt.Sprint,
	"println":  fmt.Sprintln,
	"printf":   printf,
	"html":     template.HTMLEscaper,
	"js":       template.JSEscaper,
	"urlquery": template.URLQueryEscaper,
}

// toYAML is the template function toYaml.
func (m *meter) toYAML(v any) (string, error) {
	m.deep(v)
	marshal := func() (string, error) { return marshalYAML(v) }
	if m.isShared(v) {
		marshal = m.shared.yaml
	}
	text, err := marshal()
	if err != nil {
		return "", err
	}
	return m.made(text), nil
}

// hash is the template function hash.
func (m *meter) hash(v any) (string, error) {
	m.deep(v)
	if m.isShared(v) {
		return m.shared.hash()
	}
	return hashOf(v)
}

// marshalYAML writes a value as Kalypso does: indented by four spaces, without
// a newline at the end.
func marshalYAML(v any) (string, error) {
	text, err := yaml.Marshal(v)
	return string(bytes.TrimSuffix(text, []byte("\n"))), err
}

// hashOf gives Kalypso's hash of a value in decimal.
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

// textOf gives a scalar as its text, anything else as YAML.
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

// sortedKeys is Sprig's keys in an order that does not change.
func sortedKeys(dicts ...map[string]any) []string {
	keys := []string{}
	for _, dict := range dicts {
		keys = slices.AppendSeq(keys, slices.Values(slices.Sorted(maps.Keys(dict))))
	}
	return keys
}

// sortedValues is Sprig's values in the order of the keys.
func sortedValues(dict map[string]any) []any {
	values := make([]any, 0, len(dict))
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		values = append(values, dict[key])
	}
	return values
}

// Texts gives values as the built-in ConfigMap holds them: lists and maps as
// YAML text. Errors: a value that is too large or nested too deep.
func Texts(values map[string]any) (map[string]string, error) {
	texts := make(map[string]string, len(values))
	for key, value := range values {
		if _, err := measure(value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		text, err := textOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		texts[key] = text
	}
	return texts, nil
}

// builtinConfigMap is the platform-config of a cluster type without a template
// for it: every value as text.
func builtinConfigMap(namespace string, values map[string]any) ([]byte, error) {
	texts, err := Texts(values)
	if err != nil {
		return nil, err
	}
	type metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	}
	return sigsyaml.Marshal(struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metadata          `json:"metadata"`
		Data       map[string]string `json:"data"`
	}{"v1", "ConfigMap", metadata{platformConfig, namespace}, texts})
}
