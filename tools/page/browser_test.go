// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package page looks at the page of a fleet in a real browser.
package page

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	fleetpage "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/page"
)

var pictures = flag.String("pictures", "", "write pictures of the page into this folder")

// browser is the context of the one browser of all tests.
var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	program := os.Getenv("KALYPSO_CHROMIUM")
	if program == "" {
		fmt.Fprintln(os.Stderr, "KALYPSO_CHROMIUM has to name the program of Chromium. make test-page sets it.")
		return 1
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 800),
		// The network is cut off: no name is found, and no address is reached.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), chromedp.Flag("proxy-server", "127.0.0.1:9"),
	)...)
	defer cancel()
	ctx, stop := chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s does not start: %s\n", program, err)
		return 1
	}
	browser = ctx
	return m.Run()
}

// tab is the page of a fleet in a tab of its own.
type tab struct {
	testing.TB
	ctx   context.Context
	mutex sync.Mutex
	wrong []string // what the browser complained of, and what it asked for
}

// patience is how long anything may take.
const patience = time.Minute

// open opens the page of a fleet from a file. What the browser complains of, and any
// request but that for the file, fails the test.
func open(t testing.TB, shown inventory.Fleet, media ...*emulation.MediaFeature) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fleet.html")
	if err := os.WriteFile(file, []byte(fleetpage.Page(shown)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	p := &tab{TB: t, ctx: ctx}
	address := "file://" + file
	p.must(chromedp.Do(ctx))
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
			return err
		},
		func() error { return chromedp.Listen(ctx, func(event any) { p.note(event, address) }) },
		func() error { return chromedp.Do(ctx, chromedp.Navigate(address)) },
	} {
		p.must(enable())
	}
	t.Cleanup(func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if len(p.wrong) > 0 {
			t.Errorf("the browser reports:\n%s", strings.Join(p.wrong, "\n"))
		}
	})
	return p
}

// note keeps what should not happen.
func (p *tab) note(event any, address string) {
	var wrong string
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		wrong = fmt.Sprintf("console.%s %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		wrong = fmt.Sprintf("exception: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *log.EventEntryAdded:
		wrong = fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		wrong = "dialog: " + e.Message
	case *network.EventRequestWillBeSent:
		if asked, _, _ := strings.Cut(e.Request.URL, "#"); asked != address {
			wrong = "request: " + e.Request.URL
		}
	}
	if wrong != "" {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.wrong = append(p.wrong, wrong)
	}
}

func (p *tab) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// eval returns what an expression is in the page.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %s", expression, err)
	}
	return value
}

// until waits until a condition is met in the page.
func (p *tab) until(condition string) {
	p.Helper()
	eval[bool](p, `new Promise((done, failed) => {
	  const end = performance.now() + 20000;
	  const look = () => { if (`+condition+`) done(true); else if (performance.now() > end) failed(new Error("never: `+
		`" + `+"`"+condition+"`"+`)); else setTimeout(look, 10); };
	  look();
	})`)
}

// is fails unless an expression has a value in the page.
func is[T comparable](p *tab, expression string, want T) {
	p.Helper()
	if got := eval[T](p, expression); got != want {
		p.Errorf("%s is %#v, not %#v", expression, got, want)
	}
}

// keys presses keys. What a key types comes with its press, as from a real keyboard, so
// that a page may keep it from being typed.
func (p *tab) keys(keys string) {
	p.Helper()
	for _, key := range keys {
		if key < ' ' || key > '~' {
			p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(string(key))))
			continue
		}
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			press := input.DispatchKeyEventParams{Type: kind, Key: string(key)}
			if kind == input.DispatchKeyEventTypeKeyDown {
				press.Text = string(key)
			}
			_, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, press)
			p.must(err)
		}
	}
}

// show opens a view.
func (p *tab) show(view string) {
	p.Helper()
	eval[any](p, fmt.Sprintf("document.getElementById('tab-%s').click()", view))
	p.until(fmt.Sprintf("!document.getElementById(%q).hidden", view))
}

// choose sets a select element.
func (p *tab) choose(setting, value string) {
	p.Helper()
	eval[any](p, fmt.Sprintf(`(() => { const e = document.querySelector('select[data-setting=%q]'); e.value = %q; if (e.value !== `+
		`%[2]q) throw new Error("no such option"); e.dispatchEvent(new Event("change")); })()`, setting, value))
}

// filter types into the filter, and waits until it is followed.
func (p *tab) filter(text string) {
	p.Helper()
	eval[any](p, fmt.Sprintf(`(() => { const e = document.getElementById("filter"); e.value = %q; e.dispatchEvent(new Event("input")); `+
		`})()`, text))
	p.until(fmt.Sprintf("(new URLSearchParams(location.hash.slice(1)).get('filter') ?? '') === %q", text))
}

// rows are the rows that a view shows.
func (p *tab) rows(view string) []string {
	p.Helper()
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr, #%s .entry")].map((row) => `+
		`row.innerText.replace(/\s+/g, " ").trim())`, view, view))
}

// maxPicture is how large a picture may be.
const maxPicture = 200_000

// picture takes a picture, which is kept if pictures are wanted.
func (p *tab) picture(name string) {
	p.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	p.must(err)
	shown, err := png.Decode(bytes.NewReader(picture))
	if err != nil || len(picture) >= maxPicture || shown.Bounds().Dx() < 1000 {
		p.Errorf("the picture %s has %d bytes: %v", name, len(picture), err)
	}
	if *pictures != "" {
		p.must(os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o644))
	}
}
