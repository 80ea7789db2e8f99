// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// schema is a compiled JSON Schema with its name in messages, or the problem that it is invalid.
type schema struct {
	name     string
	source   manifest.Origin
	compiled *jsonschema.Schema
	invalid  *problem.Problem
	// isOfTarget is true if a deployment target defines the schema. An invalid schema is then a
	// problem of this target alone.
	isOfTarget bool
}

const summaryInvalid = "Invalid schema"

// maxSchema is how many bytes the text of a schema may have: the library's work grows faster
// than the text.
const maxSchema = 256 << 10

// CheckSchema returns the problem with the text of a JSON Schema, in JSON or YAML, or nil.
func CheckSchema(text string) error {
	_, err := compileSchema(text)
	return err
}

// schemaURL is the base of every schema. The address does not exist.
const schemaURL = "config:///schema"

// compileSchema compiles a schema without any I/O: as draft 7, or as the draft that its
// $schema names. Errors: the text is not a JSON Schema, or is too large.
func compileSchema(text string) (*jsonschema.Schema, error) {
	if len(text) > maxSchema {
		return nil, fmt.Errorf("the schema has more than %d KiB. Remove the parts that the configuration does not need", maxSchema>>10)
	}
	document, err := decodeSchema(text)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err)
	}
	return compiled, nil
}

// decodeSchema reads the text as JSON, or otherwise as YAML.
func decodeSchema(text string) (any, error) {
	text = strings.TrimPrefix(text, "\ufeff") // an editor's byte order mark
	document, jsonErr := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if jsonErr != nil {
		var err error
		if document, err = decodeYAML(text); err != nil {
			return nil, fmt.Errorf("the schema is neither JSON (%w) nor YAML (%w)", jsonErr, err)
		}
	}
	switch document := inJSON(document).(type) {
	case map[string]any, bool:
		return document, nil
	}
	return nil, errors.New(`the text is not a JSON Schema, which is an object such as {"type": "object"}`)
}

func decodeYAML(text string) (document any, err error) {
	documents, err := yamlnode.Documents([]byte(text))
	switch {
	case err != nil:
		return nil, err
	case len(documents) > 1:
		return nil, errors.New("a second document follows the first")
	case len(documents) == 0:
		return nil, nil
	}
	if err := yamlnode.Check(documents[0]); err != nil {
		return nil, err
	}
	err = documents[0].Decode(&document)
	return document, err
}

// noLoader refuses everything outside the schema itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %q, but a plan reads no schema from the network or from files. A reference can lead only "+
		"into the schema itself (\"#/definitions/…\"), and $schema can name only a draft of json-schema.org. Copy the definition into the "+
		"schema", strings.TrimPrefix(url, "config:///"))
}

func schemaError(err error) error {
	var loading *jsonschema.LoadURLError
	if errors.As(err, &loading) {
		return loading.Err
	}
	return fmt.Errorf("the schema breaks the rules of JSON Schema. If it is for an older draft, add its name, such as \"$schema\": "+
		"\"http://json-schema.org/draft-04/schema#\". The error: %s", strings.ReplaceAll(err.Error(), schemaURL, ""))
}
