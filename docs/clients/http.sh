#!/usr/bin/env bash
# Stores a ruleset, decides about one input and about two, and shows an error: by curl.
set -euo pipefail
cd "$(dirname "$0")"
url=${ENGINE_URL:-http://127.0.0.1:8080}

# Calls the engine; asked too often, it waits and calls again. Without `--fail`: an error has a body.
call() {
  local path=$1 body=$2 answer seconds
  while true; do
    answer=$(curl --silent --show-error --max-time 30 "$url$path" --data "$body" \
      --header "authorization: Bearer ${ENGINE_TOKEN:-}" --header 'content-type: application/json' \
      --write-out '\nretry-after: %header{retry-after}')
    seconds=${answer##*retry-after: }
    if [ -z "$seconds" ]; then break; fi
    sleep "$seconds"
  done
  echo "${answer%$'\nretry-after: '*}"
}

call /api/v1/rulesets @adult-check.json
call /api/v1/execute/adult-check '{"input": {"age": 20}}'
call /api/v1/execute/adult-check/batch '{"inputs": [{"age": 12}, {"age": 30}]}'
call /api/v1/eval '{"expression": "start_with(\"Ada\", \"A\")"}'
