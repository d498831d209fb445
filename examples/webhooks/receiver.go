// A webhook receiver with Go's standard library. What it does and how to run it: README.md.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	bodyMaxBytes = 1 << 20
	window       = 300 // seconds, either way
)

type event struct {
	Inbox   string
	Message struct{ ID string }
}

var (
	secret = []byte(os.Getenv("WEBHOOK_SECRET"))
	// Deliveries done. In production: a unique column, written in the transaction of what you do.
	done sync.Map
)

// isGenuine takes t=<seconds>,v1=<hex> as header, with two v1 while the secret is rotated.
func isGenuine(rawBody []byte, header string) bool {
	var times []string
	var signatures [][]byte
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" {
			times = append(times, value)
		} else if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			signatures = append(signatures, signature)
		}
	}
	if len(times) != 1 {
		return false
	}
	t, err := strconv.ParseUint(times[0], 10, 48)
	age := time.Now().Unix() - int64(t)
	if err != nil || age > window || age < -window {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(times[0] + "."))
	mac.Write(rawBody)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		if hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}

func receive(w http.ResponseWriter, r *http.Request) {
	// Not parsed yet: the signature is over the bytes.
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMaxBytes))
	var got event
	if err != nil || !isGenuine(rawBody, r.Header.Get("X-Service-Signature")) || json.Unmarshal(rawBody, &got) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	delivery := r.Header.Get("X-Service-Delivery")
	if delivery == "" {
		delivery = got.Message.ID
	}
	if _, repeated := done.LoadOrStore(delivery, true); !repeated {
		// Put it on your queue; work that takes long comes later.
		fmt.Printf("received %s for %s\n", got.Message.ID, got.Inbox)
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	if len(secret) == 0 {
		log.Fatal("WEBHOOK_SECRET is not set: an empty one would verify what anybody signs")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/hooks/mail", receive)
	fmt.Println("listening")
	server := &http.Server{ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
