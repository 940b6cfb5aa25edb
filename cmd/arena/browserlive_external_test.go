//go:build external && linux

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// While an event is played, the home page, its own page and the page of its boards follow
// it without being loaded again: progress and standings. When the run or the server is
// killed they say so, and go on by themselves.
func TestExternalFollowEvent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const event = "game: breakthrough:5x5\nclock: {move: 100ms, margin: 10s}\nconcurrency: 2\npin: off\nrounds: 500\nbots: [{builtin: mcts}, {builtin: minimax}, {builtin: greedy}]\n"
	start := func() *exec.Cmd {
		run := s.start("spring", event)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
		return run
	}
	run := start()
	b := newTab(t)
	b.open(s.url + "/")
	b.until(`document.querySelectorAll("progress").length`, "1") // it began after the page was loaded
	follows := func(what, script string) {
		t.Helper()
		b.eval(`(window.before = ` + script + `, window.same = true)`)
		b.until(script+` !== window.before && window.same`, "true")
	}
	follows("home", `document.querySelector(".card progress + .meta").textContent`)
	b.open(s.url + "/events/spring")
	follows("progress", `document.querySelector(".how-far").textContent`)
	follows("standings", `document.getElementById("standings").parentElement.textContent`)
	b.open(s.url + "/events/spring/live")
	b.until(`document.querySelectorAll(".tile").length`, "2")
	follows("boards' progress", `document.querySelector("[data-progress]").textContent`)
	follows("standings beside the boards", `document.getElementById("standings").parentElement.textContent`)

	_ = run.Process.Kill()
	_ = run.Wait()
	b.until(`document.querySelector("[data-progress]").textContent.includes("the run has ended") && window.same`, "true")
	start()
	b.until(`document.querySelectorAll(".tile:not(.over)").length > 0 && window.same`, "true")
	follows("boards of the run that goes on", `document.querySelector("[data-progress]").textContent`)
	b.quiet(s.url)

	_ = s.server.Process.Kill()
	_ = s.server.Wait()
	const note = `document.querySelector(".connection").textContent`
	b.until(note+`.includes("Connection lost; trying again")`, "true")
	if nobody := b.eval(`document.querySelector("[data-nobody]").hidden`); nobody != "true" {
		t.Error("without a connection the page says that nothing is played")
	}
	again := exec.Command("arena", "serve", "--db", filepath.Join(s.dir, "arena.db"), "--listen", strings.TrimPrefix(s.url, "http://"))
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = again.Process.Signal(syscall.SIGINT)
		done := time.AfterFunc(10*time.Second, func() { _ = again.Process.Kill() })
		_ = again.Wait()
		done.Stop()
	})
	b.until(note, "")
	follows("boards of the server that is back", `document.querySelector("[data-progress]").textContent`)
}
