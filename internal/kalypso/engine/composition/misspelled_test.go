// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"strings"
	"testing"
)

func TestMisspelledKeywords(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"requird": "required", "Required": "required", "require": "required", "propertys": "properties",
		"additonalProperties": "additionalProperties",
		"patternPropertes":    "patternProperties", "tpye": "type", "itmes": "items", "pattren": "pattern", "fromat": "format",
		"mnLength":  "minLength",
		"minlength": "minLength", "minLenght": "minLength", "maximun": "maximum", "exclusiveMininum": "exclusiveMinimum",
		"uniqueItem": "uniqueItems",
		"allof":      "allOf", "multipleof": "multipleOf", "dependentRequierd": "dependentRequired", "defintions": "definitions",
		"Definitions": "definitions",
	} {
		if got := misspelled(key, nil); got != want {
			t.Errorf("by %s %q is meant, want %q", key, got, want)
		}
	}
	if got := misspelled("ref", "#/definitions/port"); got != "$ref" {
		t.Errorf("by ref %q is meant", got)
	}
}

// TestWordsThatAreNoMistakes has keywords of JSON Schema, OpenAPI and other schema
// languages, and of editors, generators and validators.
func TestWordsThatAreNoMistakes(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`
		length form when item types typ enums onOf multiple minimal maximal container containers patterns formats formula normal
		definition property propertyName requirement requiredIf requiredBy optional elements values choices min max minLen maxLen minSize maxSize
		ref schema
		divisibleBy disallow extends requiresAll constant constants notes thens elsewhere dependency dependent constraint constraints itemType
		elementType
		title description default examples deprecated readOnly writeOnly definitions $schema $id id $ref $anchor $defs $comment $vocabulary
		$dynamicAnchor
		$recursiveAnchor contentSchema contentEncoding contentMediaType
		nullable discriminator xml externalDocs example x-required x-type x-kubernetes-validations
		markdownDescription enumDescriptions markdownEnumDescriptions enumNames defaultSnippets deprecationMessage doNotSuggest suggestSortText
		errorMessage
		patternErrorMessage allowComments allowTrailingCommas propertyOrder options headerTemplate links template watch
		javaType existingJavaType javaEnumNames extendsJavaClass tsType tsEnumNames tsImport faker chance mock
		instanceof typeof range exclusiveRange regexp transform uniqueItemProperties allRequired anyRequired oneRequired patternRequired
		prohibited
		deepProperties deepRequired dynamicDefaults select selectCases selectDefault formatMinimum formatMaximum formatExclusiveMinimum
		unit units label hint help placeholder order group hidden secret sensitive widget name names note notes comment comments version since
		owner
		category tags ui:widget meta:enum _required //required #type`)
	for _, word := range words {
		if got := misspelled(word, "a text"); got != "" {
			t.Errorf("%s is taken for a misspelled %s", word, got)
		}
	}
	for key := range keywords {
		if got := misspelled(key, nil); got != "" {
			t.Errorf("the keyword %s is taken for a misspelled %s", key, got)
		}
	}
}
