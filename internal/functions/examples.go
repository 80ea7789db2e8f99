// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

type example struct{ function, template, result string }

// fails is the beginning of the result of a template that fails. The end of the error's
// message follows.
const fails = "fails: "

// groups has the examples by the names of their tables.
var groups = map[string][]example{
	// Functions that Sprig does not have.
	"own": {
		{"toYaml", `{{ toYaml (dict "ports" (list 80 443) "tls" true) }}`, "ports:\n    - 80\n    - 443\ntls: true"},
		{"stringify", `{{ stringify (dict "PORTS" (list 80 443) "TLS" true) }}`, "PORTS: |\n    - 80\n    - 443\nTLS: true"},
		{"hash", `{{ hash (dict "REGION" "north") }}`, `6349584917186147506`},
		{"unquote", `{{ unquote " \"north\" " }}`, `north`},
	},
	// Functions of text/template, and fail.
	"language": {
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
	},
	"texts": {
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
	},
	"numbers": {
		{"int", `{{ int "0777" }}`, `777`},
		{"int64", `{{ int64 "12" }}`, `12`},
		{"float64", `{{ float64 "1.5" }}`, `1.5`},
		{"toDecimal", `{{ toDecimal "0777" }}`, `511`},
		{"atoi", `{{ atoi "12" }}`, `12`},
		{"add", `{{ add 1 2 3 }}`, `6`},
		{"add1", `{{ add1 2 }}`, `3`},
		{"sub", `{{ sub 5 2 }}`, `3`},
		{"mul", `{{ mul 2 3 4 }}`, `24`},
		{"div", `{{ div 7 2 }}`, `3`},
		{"mod", `{{ mod 7 2 }}`, `1`},
		{"addf", `{{ addf 1.5 2 }}`, `3.5`},
		{"add1f", `{{ add1f 1.5 }}`, `2.5`},
		{"subf", `{{ subf 5 0.5 }}`, `4.5`},
		{"mulf", `{{ mulf 1.5 3 }}`, `4.5`},
		{"divf", `{{ divf 7 2 }}`, `3.5`},
		{"max", `{{ max 1 3 2 }}`, `3`},
		{"maxf", `{{ maxf 1.5 3 }}`, `3`},
		{"min", `{{ min 1 3 2 }}`, `1`},
		{"minf", `{{ minf 1.5 3 }}`, `1.5`},
		{"ceil", `{{ ceil 1.2 }}`, `2`},
		{"floor", `{{ floor 1.8 }}`, `1`},
		{"round", `{{ round 1.2345 2 }}`, `1.23`},
		{"until", `{{ until 3 | toJson }}`, `[0,1,2]`},
		{"untilStep", `{{ untilStep 0 10 5 | toJson }}`, `[0,5]`},
		{"seq", `{{ seq 1 2 7 }}`, `1 3 5 7`},
		{"duration", `{{ duration "95" }}`, `1m35s`},
	},
	"lists": {
		{"list", `{{ list "a" 1 true | toJson }}`, `["a",1,true]`},
		{"first", `{{ first (list "a" "b" "c") }}`, `a`},
		{"last", `{{ last (list "a" "b" "c") }}`, `c`},
		{"rest", `{{ rest (list "a" "b" "c") | toJson }}`, `["b","c"]`},
		{"initial", `{{ initial (list "a" "b" "c") | toJson }}`, `["a","b"]`},
		{"slice", `{{ slice (list "a" "b" "c" "d") 1 3 | toJson }}`, `["b","c"]`},
		{"append", `{{ append (list "a") "b" | toJson }}`, `["a","b"]`},
		{"push", `{{ push (list "a") "b" | toJson }}`, `["a","b"]`},
		{"prepend", `{{ prepend (list "a") "b" | toJson }}`, `["b","a"]`},
		{"concat", `{{ concat (list "a") (list "b" "c") | toJson }}`, `["a","b","c"]`},
		{"reverse", `{{ reverse (list "a" "b" "c") | toJson }}`, `["c","b","a"]`},
		{"uniq", `{{ uniq (list "a" "b" "a") | toJson }}`, `["a","b"]`},
		{"compact", `{{ compact (list "a" "" 0 "b") | toJson }}`, `["a","b"]`},
		{"without", `{{ without (list "a" "b" "c") "b" | toJson }}`, `["a","c"]`},
		{"has", `{{ has "b" (list "a" "b") }}`, `true`},
		{"chunk", `{{ chunk 2 (list 1 2 3) | toJson }}`, `[[1,2],[3]]`},
		{"sortAlpha", `{{ sortAlpha (list "b" "c" "a") | toJson }}`, `["a","b","c"]`},
	},
	"maps": {
		{"dict", `{{ dict "a" 1 "b" 2 | toJson }}`, `{"a":1,"b":2}`},
		{"get", `{{ get (dict "a" 1) "a" }}`, `1`},
		{"dig", `{{ dig "limits" "memory" "256Mi" (dict "limits" (dict "cpu" 1)) }}`, `256Mi`},
		{"hasKey", `{{ hasKey .ConfigData "namespace" }}`, `false`},
		{"keys", `{{ keys (dict "b" 2 "a" 1) | toJson }}`, `["a","b"]`},
		{"values", `{{ values (dict "b" 2 "a" 1) | toJson }}`, `[1,2]`},
		{"pick", `{{ pick (dict "a" 1 "b" 2) "a" | toJson }}`, `{"a":1}`},
		{"omit", `{{ omit (dict "a" 1 "b" 2) "a" | toJson }}`, `{"b":2}`},
		{"pluck", `{{ pluck "a" (dict "a" 1) (dict "a" 2) | toJson }}`, `[1,2]`},
		{"set", `{{ set (dict "a" 1) "b" 2 | toJson }}`, `{"a":1,"b":2}`},
		{"unset", `{{ unset (dict "a" 1 "b" 2) "b" | toJson }}`, `{"a":1}`},
		{"merge", `{{ merge (dict "a" 1) (dict "a" 2 "b" 2) | toJson }}`, `{"a":1,"b":2}`},
		{"mergeOverwrite", `{{ mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 2) | toJson }}`, `{"a":2,"b":2}`},
		{"deepCopy", `{{ deepCopy (dict "a" (list 1)) | toJson }}`, `{"a":[1]}`},
	},
	"choices": {
		{"default", `{{ default "256Mi" .Manifests.memory }}`, `256Mi`},
		{"coalesce", `{{ coalesce "" 0 "third" }}`, `third`},
		{"ternary", `{{ ternary "yes" "no" (eq .Environment "prod") }}`, `yes`},
		{"empty", `{{ empty (list) }}`, `true`},
		{"all", `{{ all 1 "a" "" }}`, `false`},
		{"any", `{{ any 0 "" "a" }}`, `true`},
		{"kindOf", `{{ kindOf (list 1) }}`, `slice`},
		{"kindIs", `{{ kindIs "map" (dict) }}`, `true`},
		{"typeOf", `{{ typeOf 1.5 }}`, `float64`},
		{"typeIs", `{{ typeIs "string" "a" }}`, `true`},
		{"typeIsLike", `{{ typeIsLike "int" 1 }}`, `true`},
		{"deepEqual", `{{ deepEqual (list 1 2) (list 1 2) }}`, `true`},
	},
	"encodings": {
		{"toJson", `{{ toJson (dict "a" "<b>") }}`, `{"a":"\u003cb\u003e"}`},
		{"toRawJson", `{{ toRawJson (dict "a" "<b>") }}`, `{"a":"<b>"}`},
		{"toPrettyJson", `{{ toPrettyJson (dict "a" 1) }}`, "{\n  \"a\": 1\n}"},
		{"fromJson", `{{ (fromJson "{\"a\": [1, 2]}").a | len }}`, `2`},
		{"b64enc", `{{ b64enc "shop" }}`, `c2hvcA==`},
		{"b64dec", `{{ b64dec "c2hvcA==" }}`, `shop`},
		{"b32enc", `{{ b32enc "shop" }}`, `ONUG64A=`},
		{"b32dec", `{{ b32dec "ONUG64A=" }}`, `shop`},
		{"sha1sum", `{{ sha1sum "shop" | trunc 8 }}`, `5042d146`},
		{"sha256sum", `{{ sha256sum "shop" | trunc 8 }}`, `8d9001d3`},
		{"sha512sum", `{{ sha512sum "shop" | trunc 8 }}`, `fd84a3ce`},
		{"adler32sum", `{{ adler32sum "shop" }}`, `72745403`},
		{"derivePassword", `{{ derivePassword 1 "pin" "master" "user" "example.com" }}`, `1420`},
		{"decryptAES", `{{ decryptAES "secretkey" "30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ=" }}`, `plaintext`},
		{"buildCustomCert", `{{ buildCustomCert "" "" }}`, fails + `unable to decode certificate`},
	},
	"patterns": {
		{"regexMatch", `{{ regexMatch "^v[0-9]+$" "v12" }}`, `true`},
		{"regexFind", `{{ regexFind "[0-9]+" "node-12-a3" }}`, `12`},
		{"regexFindAll", `{{ regexFindAll "[0-9]+" "node-12-a3" -1 | toJson }}`, `["12","3"]`},
		{"regexReplaceAll", `{{ regexReplaceAll "node-([0-9]+)" "node-12" "n$1" }}`, `n12`},
		{"regexReplaceAllLiteral", `{{ regexReplaceAllLiteral "[0-9]+" "node-12" "$1" }}`, `node-$1`},
		{"regexSplit", `{{ regexSplit "[,;]" "a,b;c" -1 | toJson }}`, `["a","b","c"]`},
		{"regexQuoteMeta", `{{ regexQuoteMeta "1.2" }}`, `1\.2`},
		{"semver", `{{ (semver "v1.2.3-rc.1").Minor }}`, `2`},
		{"semverCompare", `{{ semverCompare "^1.2" "1.10.0" }}`, `true`},
		{"base", `{{ base "deploy/prod/app.yaml" }}`, `app.yaml`},
		{"dir", `{{ dir "deploy/prod/app.yaml" }}`, `deploy/prod`},
		{"ext", `{{ ext "deploy/prod/app.yaml" }}`, `.yaml`},
		{"clean", `{{ clean "./deploy//prod/../test" }}`, `deploy/test`},
		{"isAbs", `{{ isAbs "/deploy" }}`, `true`},
		{"urlParse", `{{ (urlParse "https://example.com:8443/a?b=c").host }}`, `example.com:8443`},
		{"urlJoin", `{{ urlJoin (dict "scheme" "https" "host" "example.com" "path" "/a") }}`, `https://example.com/a`},
	},
	// Functions that fail if the same function without must returns nothing.
	"must": {},
}

// aliases maps the other names of functions to their first names. The names with must are in
// mustNames.
var aliases = map[string]string{
	"biggest": "max", "osBase": "base", "osClean": "clean", "osDir": "dir", "osExt": "ext", "osIsAbs": "isAbs",
	"trimall": "trimAll", "tuple": "list",
}

// mustNames maps the names of all functions with must to the names without must.
func mustNames() map[string]string {
	names := map[string]string{}
	for _, name := range rendering.Functions() {
		if rest, ok := strings.CutPrefix(name, "must"); ok {
			names[name] = strings.ToLower(rest[:1]) + rest[1:]
		}
	}
	return names
}
