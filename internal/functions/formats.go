// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

// encodings has the functions for JSON, encodings and digests.
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

// patterns has the functions for regular expressions, versions, paths and URLs.
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
	{"urlParse", `{{ (urlParse "https://example.com:8443/a?b=c").host }}`, `example.com:8443`},
	{"urlJoin", `{{ urlJoin (dict "scheme" "https" "host" "example.com" "path" "/a") }}`, `https://example.com/a`},
}

// must has functions that fail where the functions without must return an empty result.
var must = []example{
	{"mustFromJson", `{{ mustFromJson "{" }}`, fails + `unexpected end of JSON input`},
	{"mustRegexMatch", `{{ mustRegexMatch "(" "a" }}`, fails + `error parsing regexp: missing closing )`},
}
