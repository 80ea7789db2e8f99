module github.com/kalypso-gitops/terraform-provider-kalypso/tools/page

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/kalypso-gitops/terraform-provider-kalypso v0.0.0
)

require (
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/kalypso-gitops/terraform-provider-kalypso => ../..
