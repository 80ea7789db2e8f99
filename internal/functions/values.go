// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

// numbers has the functions for numbers.
var numbers = []example{
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
}

// lists has the functions for lists.
var lists = []example{
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
}

// dicts has the functions for maps.
var dicts = []example{
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
}

// choices has the functions for the existence and the types of values.
var choices = []example{
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
}
