// The decision of 17 steps by hand behind net/http: reads the same request as engine-server and answers the same form.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

type request struct {
	Input struct {
		Customer struct {
			Age     float64 `json:"age"`
			Country string  `json:"country"`
		} `json:"customer"`
		Order struct {
			Total   float64 `json:"total"`
			Express bool    `json:"express"`
		} `json:"order"`
		Credit struct {
			Score    float64 `json:"score"`
			Defaults float64 `json:"defaults"`
		} `json:"credit"`
	} `json:"input"`
}

type output struct {
	Level int `json:"level"`
}

type answer struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	Output     output `json:"output"`
	DurationUs int64  `json:"duration_us"`
}

func decide(asked *request) string {
	customer, order, credit := &asked.Input.Customer, &asked.Input.Order, &asked.Input.Credit
	switch {
	case customer.Age < 18:
		return "AGE"
	case credit.Defaults >= 1:
		return "DEFAULT"
	case customer.Country == "US" || customer.Country == "GB":
		return "COUNTRY"
	case credit.Score < 520:
		return "SCORE"
	case order.Total >= 1200 && credit.Score < 640:
		return "LIMIT"
	case order.Express && credit.Score < 600:
		return "EXPRESS"
	case credit.Score >= 760:
		return "TOP"
	case credit.Score >= 640:
		return "GOOD"
	}
	return "REVIEW"
}

func main() {
	http.HandleFunc("POST /api/v1/execute/credit", func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		begin := time.Now()
		code := decide(&asked)
		took := time.Since(begin).Microseconds()
		text, err := json.Marshal(answer{code, code, output{len(code)}, took})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Write(text)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("listens on http://%s\n", listener.Addr())
	panic(http.Serve(listener, nil))
}
