"""Stores a ruleset, decides about one input and about two, and shows an error: by the standard library of Python."""
import json
import os
import pathlib
import time
import urllib.error
import urllib.request

URL = os.environ.get("ENGINE_URL", "http://127.0.0.1:8080")
HEADERS = {"authorization": "Bearer " + os.environ.get("ENGINE_TOKEN", ""), "content-type": "application/json"}


class EngineError(Exception):
    def __init__(self, status, body):
        super().__init__(body["error"])
        self.status, self.code, self.details = status, body["code"], body.get("details", [])


def call(path, body):
    """Calls the engine; asked too often, it waits and calls again."""
    while True:
        request = urllib.request.Request(URL + path, json.dumps(body).encode(), HEADERS, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            seconds = error.headers.get("retry-after")
            if seconds is None:
                raise EngineError(error.code, json.load(error)) from None
            time.sleep(int(seconds))


ruleset = json.loads((pathlib.Path(__file__).parent / "adult-check.json").read_text())
name = call("/api/v1/rulesets", ruleset)["name"]
print("stored", name)

decision = call(f"/api/v1/execute/{name}", {"input": {"age": 20}})
print(decision["code"], decision["output"]["limit"])

batch = call(f"/api/v1/execute/{name}/batch", {"inputs": [{"age": 12}, {"age": 30}]})
print(*(result["code"] for result in batch["results"]))

try:
    call("/api/v1/eval", {"expression": 'start_with("Ada", "A")'})
except EngineError as error:
    print(error.status, error.code, error.details[0]["suggestion"])
