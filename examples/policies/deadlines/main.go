// Deadlines first: of the gangs that wait, the one whose deadline is nearest starts first.
//
// A gang names it by the annotation policy.muster.scheduling/deadline: "2026-03-02T18:00:00Z", less the time that it
// needs if policy.muster.scheduling/takes: "2h" says so. Gangs without a deadline come after those with one, by priority
// and age.
//
// TOKEN  callers must have it as their bearer token; absent: anybody is answered
// HOST   absent: 127.0.0.1
// PORT   absent: 8090
package main

import (
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

type gang struct {
	Namespace  string            `json:"namespace"`
	Name       string            `json:"name"`
	Groups     []string          `json:"groups"`
	Attributes map[string]string `json:"attributes"`
	CreatedAt  string            `json:"createdAt"`
}

type unit struct {
	ID       string `json:"id"`
	Gang     *gang  `json:"gang"`
	Priority int64  `json:"priority"`
	QueuedAt string `json:"queuedAt"`
}

type key struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

type answer struct {
	Keys []key `json:"keys"`
}

// keysOf gives every unit the key of its gang group: the same for all of them, in whatever order they came.
func keysOf(units []unit) answer {
	groups := map[string][]unit{}
	for _, each := range units {
		groups[groupOf(each)] = append(groups[groupOf(each)], each)
	}
	keys := []key{}
	for _, each := range units {
		group := groupOf(each)
		keys = append(keys, key{ID: each.ID, Key: keyOf(group, groups[group])})
	}
	return answer{Keys: keys}
}

func groupOf(each unit) string {
	if each.Gang == nil {
		return "pod " + each.ID
	}
	names := append([]string{each.Gang.Namespace + "/" + each.Gang.Name}, each.Gang.Groups...)
	slices.Sort(names)
	return "gang " + strings.Join(slices.Compact(names), ",")
}

func keyOf(group string, units []unit) string {
	latest, priority, since := int64(math.MaxInt64), int64(math.MinInt32), "~"
	for _, each := range units {
		priority = max(priority, each.Priority)
		since = min(since, sinceOf(each))
		if start, ok := latestStart(each.Gang); ok {
			latest = min(latest, start)
		}
	}
	text := fmt.Sprintf("%019d %010d %s %s", latest, int64(math.MaxInt32)-priority, since, group)
	return text[:min(len(text), 500)]
}

func sinceOf(each unit) string {
	if each.Gang != nil {
		return each.Gang.CreatedAt
	}
	return each.QueuedAt
}

// latestStart is when a gang must have started, in seconds since the epoch. What can not be read is no deadline.
func latestStart(of *gang) (int64, bool) {
	if of == nil {
		return 0, false
	}
	deadline, err := time.Parse(time.RFC3339, of.Attributes["deadline"])
	if err != nil {
		return 0, false
	}
	if takes, err := time.ParseDuration(of.Attributes["takes"]); err == nil && takes > 0 {
		deadline = deadline.Add(-takes)
	}
	return max(0, deadline.Unix()), true
}

func queueSort(w http.ResponseWriter, r *http.Request) {
	token := os.Getenv("TOKEN")
	said := []byte(r.Header.Get("Authorization"))
	if token != "" && subtle.ConstantTimeCompare(said, []byte("Bearer "+token)) == 0 {
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
		return
	}
	var request struct {
		Units []unit `json:"units"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 8<<20)).Decode(&request); err != nil {
		status := http.StatusBadRequest
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(keysOf(request.Units))
}

func main() {
	host := cmp.Or(os.Getenv("HOST"), "127.0.0.1")
	listener, err := net.Listen("tcp", net.JoinHostPort(host, cmp.Or(os.Getenv("PORT"), "8090")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening: http://%s\n", listener.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/queue-sort", queueSort)
	server := http.Server{Handler: mux, ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
