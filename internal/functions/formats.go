// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

// encodings are about JSON, encodings and digests.
var encodings = []example{
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
}

// patterns are about regular expressions, versions, paths and URLs.
var patterns = []example{
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
	{"osBase", `{{ osBase "deploy/prod/app.yaml" }}`, `app.yaml`},
	{"osDir", `{{ osDir "deploy/prod/app.yaml" }}`, `deploy/prod`},
	{"osExt", `{{ osExt "deploy/prod/app.yaml" }}`, `.yaml`},
	{"osClean", `{{ osClean "./deploy//prod/../test" }}`, `deploy/test`},
	{"osIsAbs", `{{ osIsAbs "/deploy" }}`, `true`},
	{"urlParse", `{{ (urlParse "https://example.com:8443/a?b=c").host }}`, `example.com:8443`},
	{"urlJoin", `{{ urlJoin (dict "scheme" "https" "host" "example.com" "path" "/a") }}`, `https://example.com/a`},
}

// must fail where their namesakes without must give nothing.
var must = []example{
	{"mustAppend", `{{ mustAppend (list "a") "b" | toJson }}`, `["a","b"]`},
	{"mustChunk", `{{ mustChunk 2 (list 1 2 3) | toJson }}`, `[[1,2],[3]]`},
	{"mustCompact", `{{ mustCompact (list "a" "") | toJson }}`, `["a"]`},
	{"mustDeepCopy", `{{ mustDeepCopy (dict "a" 1) | toJson }}`, `{"a":1}`},
	{"mustFirst", `{{ mustFirst (list "a" "b") }}`, `a`},
	{"mustFromJson", `{{ mustFromJson "{" }}`, fails + `unexpected end of JSON input`},
	{"mustHas", `{{ mustHas "b" (list "a" "b") }}`, `true`},
	{"mustInitial", `{{ mustInitial (list "a" "b") | toJson }}`, `["a"]`},
	{"mustLast", `{{ mustLast (list "a" "b") }}`, `b`},
	{"mustMerge", `{{ mustMerge (dict "a" 1) (dict "b" 2) | toJson }}`, `{"a":1,"b":2}`},
	{"mustMergeOverwrite", `{{ mustMergeOverwrite (dict "a" 1) (dict "a" 2) | toJson }}`, `{"a":2}`},
	{"mustPrepend", `{{ mustPrepend (list "a") "b" | toJson }}`, `["b","a"]`},
	{"mustPush", `{{ mustPush (list "a") "b" | toJson }}`, `["a","b"]`},
	{"mustRegexFind", `{{ mustRegexFind "[0-9]+" "node-12" }}`, `12`},
	{"mustRegexFindAll", `{{ mustRegexFindAll "[0-9]+" "1-2" -1 | toJson }}`, `["1","2"]`},
	{"mustRegexMatch", `{{ mustRegexMatch "(" "a" }}`, fails + `error parsing regexp: missing closing )`},
	{"mustRegexReplaceAll", `{{ mustRegexReplaceAll "a+" "baab" "c" }}`, `bcb`},
	{"mustRegexReplaceAllLiteral", `{{ mustRegexReplaceAllLiteral "a+" "baab" "$1" }}`, `b$1b`},
	{"mustRegexSplit", `{{ mustRegexSplit "," "a,b" -1 | toJson }}`, `["a","b"]`},
	{"mustRest", `{{ mustRest (list "a" "b") | toJson }}`, `["b"]`},
	{"mustReverse", `{{ mustReverse (list "a" "b") | toJson }}`, `["b","a"]`},
	{"mustSlice", `{{ mustSlice (list "a" "b" "c") 1 | toJson }}`, `["b","c"]`},
	{"mustToJson", `{{ mustToJson (list 1 2) }}`, `[1,2]`},
	{"mustToPrettyJson", `{{ mustToPrettyJson (list 1) }}`, "[\n  1\n]"},
	{"mustToRawJson", `{{ mustToRawJson "<b>" }}`, `"<b>"`},
	{"mustUniq", `{{ mustUniq (list "a" "a") | toJson }}`, `["a"]`},
	{"mustWithout", `{{ mustWithout (list "a" "b") "b" | toJson }}`, `["a"]`},
}
