// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"testing"
)

// failing represents the result of an expression that fails.
const failing = "(fails)"

// kalypsos are expressions with their results in Kalypso's scheduler.
var kalypsos = []struct{ expression, want string }{
	// numbers
	{`int "0777"`, "777"},
	{`int "08"`, "8"},
	{`int "1.0"`, "0"},
	{`int "0x1F"`, "0"},
	{`int "1_000"`, "0"},
	{`int " 5"`, "0"},
	{`int "-3"`, "-3"},
	{`int "+4"`, "4"},
	{`int "9223372036854775808"`, "0"},
	{`int 2.9`, "2"},
	{`int true`, "1"},
	{`int nil`, "0"},
	{`int (list 1)`, "0"},
	{`int64 "0777"`, "777"},
	{`int64 "0b11"`, "0"},
	{`add "08" 10`, "18"},
	{`add "1.0" 1`, "1"},
	{`add1 "010"`, "11"},
	{`sub "010" 1`, "9"},
	{`mul "0x10" 2`, "0"},
	{`div "100" "010"`, "10"},
	{`mod "011" 4`, "3"},
	{`max "010" 9`, "10"},
	{`min "0x1" 5`, "0"},
	{`biggest "012" 11`, "12"},
	{`float64 "0777"`, "777"},
	{`float64 "1_000"`, "1000"},
	{`slice (list 1 2 3) "01"`, "[2 3]"},
	{`slice (list 1 2) "0x1F"`, "[1 2]"},
	{`0777`, "511"},
	{`toDecimal "0777"`, "511"},
	{`atoi "08"`, "8"},
	// versions
	{`semverCompare ">1.2" "1.2.3"`, "true"},
	{`semverCompare "<1" "1.4.0"`, "true"},
	{`semverCompare "=1.2" "1.2.3"`, "false"},
	{`semverCompare "1.2" "1.2.3"`, "false"},
	{`semverCompare "^0.0.3" "0.0.4"`, "true"},
	{`semverCompare "^0.0" "0.1.0"`, "true"},
	{`semverCompare "^0" "0.4.0"`, "true"},
	{`semverCompare "^1.2" "1.10.0"`, "true"},
	{`semverCompare "~1.2" "1.2.9"`, "true"},
	{`semverCompare "~1" "1.4.0"`, "true"},
	{`semverCompare "1.2.x" "1.2.3"`, "true"},
	{`semverCompare "*" "1.2.3-beta"`, "false"},
	{`semverCompare ">=1.2, <2" "1.4.0"`, "true"},
	{`semverCompare "<=1.2" "1.2.3"`, "false"},
	{`semverCompare "!=1.2" "1.2.3"`, "true"},
	{`semverCompare ">1.2.3-alpha" "1.2.3-beta"`, "true"},
	{`semverCompare "1.2 - 1.4" "1.4.0"`, "true"},
	{`semverCompare "1.2 || 3" "3.0.0"`, "true"},
	{`semverCompare "=>1.2" "1.2.3"`, "true"},
	{`semverCompare "<1.4" "1.4.0"`, "false"},
	{`semverCompare ">=1" "1.0.0-rc.1"`, "false"},
	{`(semver "1.2.3-rc.1+x").Prerelease`, "rc.1"},
	{`(semver "v1.2").Minor`, "2"},
	// words
	{`camelcase "HTTPServer"`, "HTTPServer"},
	{`camelcase "http_server"`, "HttpServer"},
	{`camelcase "some words HERE"`, "SomeWordsHERE"},
	{`camelcase "__a__b--"`, "__A_B--"},
	{`camelcase "a_"`, "A_"},
	{`camelcase "_"`, "__"},
	{`camelcase ""`, ""},
	{`camelcase "éa b"`, "ÉaB"},
	{`camelcase "FOO_BAR"`, "FOOBAR"},
	{`camelcase "fooBar"`, "FooBar"},
	{`snakecase "HTTPServer"`, "http_server"},
	{`kebabcase "HTTPServer"`, "http-server"},
	// YAML
	{`toYaml "5"`, "\"5\""},
	{`toYaml 5`, "5"},
	{`toYaml "x: y"`, "'x: y'"},
	{`toYaml "x\n"`, "|\n    x"},
	{`toYaml " x"`, "' x'"},
	{`toYaml ""`, "\"\""},
	{`toYaml "true"`, "\"true\""},
	{`toYaml "yes"`, "\"yes\""},
	{`toYaml "~"`, "\"~\""},
	{`toYaml "0777"`, "\"0777\""},
	{`toYaml "1e3"`, "\"1e3\""},
	{`toYaml (list 1 (dict "a" (list "b")))`, "- 1\n- a:\n    - b"},
	{`toYaml (dict "a" "x\ny" "b" "11")`, "a: |-\n    x\n    y\nb: \"11\""},
	{`toYaml (list)`, "[]"},
	{`toYaml (dict)`, "{}"},
	{`toYaml (list nil)`, "- null"},
	{`toYaml "2001-01-01"`, "\"2001-01-01\""},
	{`toYaml "#x"`, "'#x'"},
	{`hash (dict "a" "b")`, "4550450939398240104"},
	{`hash (list 1 "x")`, "12723903354303695668"},

	// stringify
	{`stringify .ConfigData`, "empty: \"\"\nlist: |\n    - a\n    - 1\n    - name: x\nmap: |\n    a:\n        deep: true\n    b: 2\nmixed: " +
		"|\n    1: one\n    two:\n        - 2\nquote: ' \"''x''\" '\ntext: hello"},
	{`stringify .ConfigData | indent 2 | trunc 32`, "  empty: \"\"\n  list: |\n      - a\n"},
	{`stringify (dict "n" 1 "s" "5" "l" (list 1))`, "l: |\n    - 1\n\"n\": 1\ns: \"5\""},
	{`stringify .Labels`, "use-case: vote\nworkload: shop"},
	{`stringify .ConfigData.list`, "- a\n- 1\n- name: x"},
	{`stringify "5"`, `"5"`},
	{`stringify 5`, "5"},
	{`stringify "x: y"`, "'x: y'"},
	{`stringify .ConfigData.missing`, "null"},

	// unquote
	{`unquote " \"'x'\" "`, "x"},
	{`unquote .ConfigData.missing`, ""},
	{`unquote .ConfigData.list`, ""},
	{`unquote .ConfigData.map`, ""},
	{`unquote 5`, ""},
}

func TestAsKalypso(t *testing.T) {
	t.Parallel()
	for _, c := range kalypsos {
		t.Run(c.expression, func(t *testing.T) {
			t.Parallel()
			got, err := renderOne(t, "<{{ "+c.expression+" }}>", values)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, "<"+c.want+">")
		})
	}
}

// TestBetterThanKalypso has expressions that fail in Kalypso, lose a part, or write a text
// that is not a value.
func TestBetterThanKalypso(t *testing.T) {
	t.Parallel()
	cases := []struct{ expression, kalypso, want string }{
		{`toYaml "\nx"`, "|4-\n    x", "|4-\n\n    x"},
		{`toYaml (dict "<<" 1)`, "<<: 1", "\"<<\": 1"},
		{`trunc -2 "abc"`, failing, "bc"},
		{`toJson .ConfigData.map`, "", `{"a":{"deep":true},"b":2}`},
		{`hasKey .ConfigData.map "b"`, failing, "true"},
		{`keys .ConfigData.map`, failing, "[a b]"},
		{`typeOf .ConfigData.map`, "map[interface {}]interface {}", "map[string]interface {}"},
		{`seq 3`, failing, "1 2 3"},
		{`fromJson "[1]" | first`, failing, "1"},
		{`get .ConfigData "text"`, failing, "hello"},
		{`toYaml .ConfigData.missing`, "null", failing},
		{`toString .ConfigData.missing`, "<nil>", failing},
	}
	for _, c := range cases {
		t.Run(c.expression, func(t *testing.T) {
			t.Parallel()
			got, err := renderOne(t, "<{{ "+c.expression+" }}>", values)
			if c.want == failing {
				expectError(t, err, "the value does not exist, or is null")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, "<"+c.want+">")
			if c.want == c.kalypso {
				t.Errorf("no difference from Kalypso")
			}
		})
	}
}
