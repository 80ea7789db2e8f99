// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

// own has the functions that Sprig does not have.
var own = []example{
	{"toYaml", `{{ toYaml (dict "ports" (list 80 443) "tls" true) }}`, "ports:\n    - 80\n    - 443\ntls: true"},
	{"stringify", `{{ stringify (dict "PORTS" (list 80 443) "TLS" true) }}`, "PORTS: |\n    - 80\n    - 443\nTLS: true"},
	{"hash", `{{ hash (dict "REGION" "north") }}`, `6349584917186147506`},
	{"unquote", `{{ unquote " \"north\" " }}`, `north`},
}

// language has the functions of text/template, and fail.
var language = []example{
	{"and", `{{ and true "last" }}`, `last`},
	{"or", `{{ or "" "second" }}`, `second`},
	{"not", `{{ not "" }}`, `true`},
	{"eq", `{{ eq "b" "a" "b" }}`, `true`},
	{"ne", `{{ ne 1 2 }}`, `true`},
	{"lt", `{{ lt 1 2 }}`, `true`},
	{"le", `{{ le 2 2 }}`, `true`},
	{"gt", `{{ gt 2 1 }}`, `true`},
	{"ge", `{{ ge 2 2 }}`, `true`},
	{"len", `{{ len (list 1 2 3) }}`, `3`},
	{"index", `{{ index (dict "a.b/c" "x") "a.b/c" }}`, `x`},
	{"call", `{{ call "x" }}`, fails + `non-function "x" of type string`},
	{"print", `{{ print "a" 1 2 "b" }}`, `a1 2b`},
	{"println", `{{ println "a" 1 }}`, "a 1\n"},
	{"printf", `{{ printf "%s-%03d" "node" 7 }}`, `node-007`},
	{"html", `{{ html "a < b" }}`, `a &lt; b`},
	{"js", `{{ js "it's" }}`, `it\'s`},
	{"urlquery", `{{ urlquery "a b&c" }}`, `a+b%26c`},
	{"fail", `{{ if not .Manifests.chart }}{{ fail "say which chart" }}{{ end }}`, fails + `say which chart`},
}

// texts has the functions for texts.
var texts = []example{
	{"trim", `{{ trim "  a b " }}`, `a b`},
	{"trimAll", `{{ trimAll "/" "/a/b/" }}`, `a/b`},
	{"trimPrefix", `{{ trimPrefix "./" "./deploy" }}`, `deploy`},
	{"trimSuffix", `{{ trimSuffix "/" "deploy/" }}`, `deploy`},
	{"nospace", `{{ nospace "a b c" }}`, `abc`},
	{"lower", `{{ lower "North" }}`, `north`},
	{"upper", `{{ upper "north" }}`, `NORTH`},
	{"title", `{{ title "north sea" }}`, `North Sea`},
	{"untitle", `{{ untitle "North Sea" }}`, `north sea`},
	{"swapcase", `{{ swapcase "North" }}`, `nORTH`},
	{"camelcase", `{{ camelcase "http_server" }}`, `HttpServer`},
	{"snakecase", `{{ snakecase "HTTPServer" }}`, `http_server`},
	{"kebabcase", `{{ kebabcase "HTTPServer" }}`, `http-server`},
	{"initials", `{{ initials "North Sea" }}`, `NS`},
	{"quote", `{{ quote "say \"a\"" 1 }}`, `"say \"a\"" "1"`},
	{"squote", `{{ squote "a" 1 }}`, `'a' '1'`},
	{"cat", `{{ cat "a" 1 "b" }}`, `a 1 b`},
	{"indent", `{{ indent 4 "a: 1\nb: 2" }}`, "    a: 1\n    b: 2"},
	{"nindent", `{{ nindent 4 "a: 1\nb: 2" }}`, "\n    a: 1\n    b: 2"},
	{"replace", `{{ replace "." "-" "v1.2.3" }}`, `v1-2-3`},
	{"repeat", `{{ repeat 3 "ab" }}`, `ababab`},
	{"trunc", `{{ trunc 5 "checkout" }}`, `check`},
	{"substr", `{{ substr 2 5 "checkout" }}`, `eck`},
	{"abbrev", `{{ abbrev 7 "checkout" }}`, `chec...`},
	{"abbrevboth", `{{ abbrevboth 5 10 "a long sentence of words" }}`, `...g se...`},
	{"wrap", `{{ wrap 8 "one two three" }}`, "one two\nthree"},
	{"wrapWith", `{{ wrapWith 4 "-" "checkout" }}`, `chec-kout`},
	{"contains", `{{ contains "out" "checkout" }}`, `true`},
	{"hasPrefix", `{{ hasPrefix "check" "checkout" }}`, `true`},
	{"hasSuffix", `{{ hasSuffix "out" "checkout" }}`, `true`},
	{"plural", `{{ plural "one pod" "many pods" 3 }}`, `many pods`},
	{"split", `{{ (split "/" "contoso/shop")._1 }}`, `shop`},
	{"splitn", `{{ (splitn "=" 2 "a=b=c")._1 }}`, `b=c`},
	{"splitList", `{{ splitList "/" "a/b/c" | last }}`, `c`},
	{"join", `{{ join "," (list "a" 1 true) }}`, `a,1,true`},
	{"toString", `{{ toString 12 | quote }}`, `"12"`},
	{"toStrings", `{{ toStrings (list 1 true) | toJson }}`, `["1","true"]`},
	{"hello", `{{ hello }}`, `Hello!`},
}
