//go:build external && linux

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// All that a visitor may choose of a game, a hint, what the bot thinks, resigning, the
// record of it, and a choice that is refused.
func TestExternalPlayChoices(t *testing.T) {
	t.Parallel()
	s := newSite(t, "minimax", "--record", "evening")
	b := newTab(t)
	fill := func(fields ...string) {
		b.open(s.url + "/play")
		for i := 0; i < len(fields); i += 2 {
			b.eval(`document.querySelector(".offer [name=` + fields[i] + `]").value = "` + fields[i+1] + `"`)
		}
	}
	sit := func() { b.call(chromedp.Click(chromedp.CSS(".offer button"))) }

	fill("size", "breakthrouhg", "clock", "3s")
	sit()
	b.until(`(document.querySelector("[role=alert]") || {innerText: ""}).innerText.includes("did you mean \"breakthrough\"")`, "true")
	if kept := b.eval(`document.querySelector("[name=size]").value + " " + document.querySelector("[name=clock]").value`); kept != "breakthrouhg 3s" {
		t.Errorf("the form that was refused has %q", kept)
	}
	b.accessible(axe(t), everyRule)
	b.messages = nil // a refusal is told in the console by its status

	fill("game", "breakthrough:5x5", "position", "ppppp/p1ppp/1p3/PPPPP/PPPPP w", "clock", "depth 3", "my-clock", "5m+3s")
	if n := b.eval(`document.querySelectorAll(".offer [name=level]").length`); n != "1" {
		t.Fatalf("%s choices of the level", n)
	}
	b.eval(`document.querySelector(".offer [name=level]").selectedIndex = 0`)
	level := b.eval(`document.querySelector(".offer [name=level]").value`)
	b.eval(`document.querySelector(".offer [name=side][value=second]").checked = true`)
	sit()
	// The bot begins, from the position.
	b.until(`(document.querySelector("[data-table]") || {dataset: {}}).dataset.plies`, "1")
	b.until(`document.querySelectorAll("[data-legal-form] button").length > 0`, "true")
	if text := b.eval(`document.querySelector(".game-head").innerText`); !strings.Contains(text, "level "+level) {
		t.Errorf("the level is not said: %q", text)
	}
	if clock := b.eval(`document.querySelector('[data-clock="1"]').textContent`); !strings.HasPrefix(clock, "5:0") && !strings.HasPrefix(clock, "4:5") {
		t.Errorf("the visitor's clock shows %q", clock)
	}
	if flip := b.eval(`document.querySelector("svg.board").dataset.flip`); flip != "1" {
		t.Error("the visitor's side is not below")
	}
	if desc := b.eval(`document.querySelector("svg.board desc").textContent`); !strings.Contains(desc, "pawn b3") {
		t.Errorf("it does not begin at the position: %s", desc)
	}
	b.until(`/^ply 1: depth \d/.test(document.querySelector("[data-thoughts]").innerText)`, "true")
	b.call(chromedp.Click(chromedp.CSS(`[data-do="hint"] button`)))
	b.until(`document.querySelectorAll("svg.board .hinted path").length`, "2")
	b.call(chromedp.Click(chromedp.CSS(`[data-do="resign"] button`)))
	b.until(`document.querySelector("[data-status]").textContent.startsWith("minimax wins")`, "true")
	b.accessible(axe(t), everyRule)
	b.open(s.url + "/events")
	b.until(`document.querySelector("main").innerText.includes("evening")`, "true")
	b.call(chromedp.Click(chromedp.CSS(`main tbody a`)))
	b.until(`location.pathname.startsWith("/events/evening")`, "true")
	b.until(`document.querySelector("main").innerText.includes("resign")`, "true")
	b.quiet(s.url)
}
