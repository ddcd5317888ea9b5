// Stores a ruleset, decides about one input and about two, and shows an error: by net/http.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type decision struct {
	Code   string         `json:"code"`
	Output map[string]any `json:"output"`
}

type engineError struct {
	Status  int    `json:"-"`
	Message string `json:"error"`
	Code    string `json:"code"`
	Details []struct {
		Path       string `json:"path"`
		Message    string `json:"message"`
		Suggestion string `json:"suggestion"`
	} `json:"details"`
}

func (e *engineError) Error() string { return e.Message }

var client = &http.Client{Timeout: 30 * time.Second}

// call calls the engine; asked too often, it waits and calls again.
func call(path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for {
		request, err := http.NewRequest(http.MethodPost, os.Getenv("ENGINE_URL")+path, bytes.NewReader(text))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ENGINE_TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		into := answer
		failure := &engineError{Status: response.StatusCode}
		if response.StatusCode >= 400 {
			into = failure
		}
		err = json.NewDecoder(response.Body).Decode(into)
		response.Body.Close()
		if err != nil || response.StatusCode < 400 {
			return err
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			return failure
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	text, err := os.ReadFile("adult-check.json")
	must(err)
	var saved struct{ Name string }
	must(call("/api/v1/rulesets", json.RawMessage(text), &saved))
	fmt.Println("stored", saved.Name)

	var one decision
	must(call("/api/v1/execute/"+saved.Name, map[string]any{"input": map[string]any{"age": 20}}, &one))
	fmt.Println(one.Code, one.Output["limit"])

	var batch struct{ Results []decision }
	inputs := map[string]any{"inputs": []map[string]any{{"age": 12}, {"age": 30}}}
	must(call("/api/v1/execute/"+saved.Name+"/batch", inputs, &batch))
	fmt.Println(batch.Results[0].Code, batch.Results[1].Code)

	err = call("/api/v1/eval", map[string]any{"expression": `start_with("Ada", "A")`}, nil)
	var failure *engineError
	if !errors.As(err, &failure) {
		log.Fatal(err)
	}
	fmt.Println(failure.Status, failure.Code, failure.Details[0].Suggestion)
}
